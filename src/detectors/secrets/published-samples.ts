/** Credentials from manuals and emulators. Models often quote them, and a match would lock a key without cause. */

/** Payloads of the jwt.io debugger. */
const JOHN_DOE_ADMIN_SINCE =
  'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRtaW4iOnRydWUsImlhdCI6MTUxNjIzOTAyMn0';
const JOHN_DOE_ADMIN = 'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRtaW4iOnRydWV9';
const JOHN_DOE_SINCE = 'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ';
const HS256 = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9';
const RS256 = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9';
const ES256 = 'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9';
const PS256 = 'eyJhbGciOiJQUzI1NiIsInR5cCI6IkpXVCJ9';

const jsonWebTokens: readonly (readonly [header: string, payload: string, signature: string])[] = [
  [HS256, JOHN_DOE_ADMIN_SINCE, 'KMUFsIDTnFmyG3nMiGM6H9FNFUROf3wh7SmqJp-QV30'],
  [HS256, JOHN_DOE_SINCE, 'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c'],
  [HS256, JOHN_DOE_ADMIN, 'TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ'],
  [
    RS256,
    JOHN_DOE_ADMIN_SINCE,
    'NHVaYe26MbtOYhSKkoKYdFVomg4i8ZJd8_-RU8VNbftc4TSMb4bXP3l3YlNWACwyXPGffz5aXHc6lty1Y2t4SWRqGteragsVdZufDn5BlnJl9pdR_kdVFUsra2rWKEofkZeIC4yWytE58sMIihvo9H1ScmmVwBcQP6XETqYd0aSHp1gOa9RdUPDvoXQ5oqygTqVtxaDr6wUFKrKItgBMzWIdNZ6y7O9E0DhEPTbE9rfBo6KTFsHAZnMg4k68CDp2woYIaXbmYTWcvbzIuHO7_37GT79XdIwkm95QJ7hYC9RiwrV7mesbY4PAahERJawntho0my942XheVLmGwLMBkQ',
  ],
  [
    RS256,
    JOHN_DOE_ADMIN_SINCE,
    'POstGetfAytaZS82wHcjoTyoqhMyxXiWdR7Nn7A29DNSl0EiXLdwJ6xC6AfgZWF1bOsS_TuYI3OG85AmiExREkrS6tDfTQ2B3WXlrr-wp5AokiRbz3_oB4OxG-W9KcEEbDRcZc0nH3L7LzYptiy1PtAylQGxHTWZXtGz4ht0bAecBgmpdgXMguEIcoqPJ1n3pIWk_dUZegpqx0Lka21H6XxUTxiy8OcaarA8zdnPUnV6AmNP3ecFawIFYdvJB_cm-GvpCSbr8G8y_Mllj8f4x9nBH8pQux89_6gUY618iYv7tuPWBFfEbLxtF2pZS6YC1aSfLQxeNe8djT9YjpvRZA',
  ],
  [
    ES256,
    JOHN_DOE_ADMIN_SINCE,
    'tyh-VfuzIxCyGYDlkBA7DfyjrqmSHu6pQ2hoZuFqUSLPNY2N0mpHb3nk5K17HWP_3cYHBw7AhHale5wky6-sVA',
  ],
  [
    PS256,
    JOHN_DOE_ADMIN_SINCE,
    'iOeNU4dAFFeBwNj6qdhdvm-IvDQrTa6R22lQVJVuWJxorJfeQww5Nwsra0PjaOYhAMj9jNMO5YLmud8U7iQ5gJK2zYyepeSuXhfSi8yjFZfRiSkelqSkU19I-Ja8aQBDbqXf2SAWA8mHF8VS3F08rgEaLCyv98fLLH4vSvsJGf6ueZSLKDVXz24rZRXGWtYYk_OYYTVgR1cg0BLCsuCvqZvHleImJKiWmtS0-CymMO4MMjCy_FIl6I56NqLE9C87tUVpo1mT-kbg5cHDD8I7MjCW5Iii5dethB4Vid3mZ6emKjVYgXrtkOQ-JyGMh6fnQxEFN1ft33GX2eRHluK9eg',
  ],
  // RFC 7515 appendix A.1.
  [
    'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9',
    'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ',
    'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  ],
];

const GITHUB = '16C7e42F292c6912E7710c838347Ae178B4a';

export const publishedSamples: ReadonlySet<string> = new Set([
  ...jsonWebTokens.map((parts) => parts.join('.')),
  // Stripe's manuals, test mode.
  'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  'sk_test_BQokikJOvBiI2HlWgH4olfQ2',
  'sk_test_26PHem9AhJZvU623DfE1x4sd',
  'sk_test_tR3PYbcVNZZ796tH88S4VQ2u',
  // GitHub's manuals, for each kind of token.
  ...['ghp_', 'gho_', 'ghu_', 'ghs_'].map((prefix) => `${prefix}${GITHUB}`),
  'ghr_1B4a2e77838347a7E420ce178F2E7c6912E169246c34E1ccbF66C46812d16D5B1A9Dc86A1498',
  // Slack's OAuth manual.
  'xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcBrzbqgy',
  // Google Cloud's manual on API keys.
  'AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe',
  // Keys of the Azure storage and Cosmos DB emulators.
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
  'C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==',
]);

/** @param secret the whole secret, without a preceding name */
export function isPublishedSample(secret: string): boolean {
  return publishedSamples.has(secret);
}
