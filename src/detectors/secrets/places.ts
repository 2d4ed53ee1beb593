/** Reports whether a secret may begin at `at`, outside words. `%3D` is not part of a word. */
export function startsToken(text: string, at: number): boolean {
  return at === 0 || !isLetterOrDigit(text.charCodeAt(at - 1)) || isPercentEncoded(text, at - 3);
}

/** Reports whether no hyphen or underscore precedes `at` (`SecretRule.startsRun`). */
export function startsRun(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before !== 45 && before !== 95;
}

export function isPercentEncoded(text: string, at: number): boolean {
  return text.charCodeAt(at) === 37 && isHex(text.charCodeAt(at + 1)) && isHex(text.charCodeAt(at + 2));
}

export function isLetterOrDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function isHex(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}

export const MAX_GLUED_CHARS = 24;
/** Words that may directly precede a secret, also at the end of a name: `apiKey`, `GITHUBTOKEN`. */
const ANNOUNCING =
  /(?<![A-Za-z0-9])[A-Za-z]*(?:keys?|tokens?|secrets?|passwords?|passwd|pwd|passphrase|auth|authorization|bearer|credentials?|creds?)$/i;
/** Words that may directly precede a secret, but not at the end of a name. */
const ANNOUNCING_ALONE =
  /(?<![A-Za-z0-9])(?:id|is|are|was|as|of|the|my|your|our|his|her|use|using|used|with|and|or|to|value|pass|login|user|account|access|api|header|pat|env|export|set|ist|und|mit|mein|est|avec|es|con)$/i;

/** Reports whether a secret may directly follow the word before `at`. */
export function followsWord(text: string, at: number): boolean {
  if (!isLetterOrDigit(text.charCodeAt(at))) return true;
  const before = text.slice(Math.max(0, at - MAX_GLUED_CHARS - 1), at);
  const word = (ANNOUNCING.exec(before) ?? ANNOUNCING_ALONE.exec(before))?.[0];
  return word !== undefined && word.length <= MAX_GLUED_CHARS;
}
