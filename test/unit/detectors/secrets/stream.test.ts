import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { LOOK_BEHIND_CHARS } from '../../../../src/detectors/finding.ts';
import { mask } from '../../../../src/detectors/mask.ts';
import { MAX_SECRET_CHARS, secretRules } from '../../../../src/detectors/secrets/secret-rules.ts';
import { findSecrets, secretsDetector } from '../../../../src/detectors/secrets/secrets.ts';
import { makeSecret, seededRandom } from './samples.ts';
import { brokenAt, expectStreamContract, openWords, textsOf } from '../stream-contract.ts';
import { quickestCpuMs } from '../../../support/cpu-time.ts';

const rules = secretRules.map((rule) => rule.id);
const secretOf = (rule: string, seed = 1): string => makeSecret(rule, seededRandom(seed)).secret;

/** Texts of models and tools around one secret. */
function textsAround(text: string): string[] {
  const json = JSON.stringify({ a: `x\n${text}\n` });
  return [
    `Here it is: ${text}, keep it.`,
    `run("${text}");\n// done`,
    json,
    JSON.stringify({ b: json }),
    json.replaceAll('-', String.raw`\u002d`).replaceAll('e', String.raw`\u0065`),
    `my key${text}and more`,
  ];
}

function everyCut(text: string): number[] {
  return Array.from({ length: text.length + 1 }, (_, at) => at);
}

/** Masks a text in pieces. Returns the output, and the maximum of characters held back. */
function streamed(text: string, pieces: readonly number[]): { readonly out: string; readonly held: number } {
  let out = '';
  let held = 0;
  let sent = 0;
  let maskedUntil = -1;
  function send(window: string, from: number, open: number): void {
    for (const { start, end } of secretsDetector.find(window)) {
      if (from + end > open || from + end <= sent) continue;
      const begin = Math.max(sent, from + start);
      out += text.slice(sent, begin) + (begin === maskedUntil ? '' : '***');
      sent = from + end;
      maskedUntil = sent;
    }
    out += text.slice(sent, open);
    sent = open;
  }
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    at = Math.min(text.length, at + (pieces[turn % pieces.length] ?? 1));
    const from = Math.max(0, sent - LOOK_BEHIND_CHARS);
    const window = text.slice(from, at);
    send(window, from, Math.max(sent, from + secretsDetector.openFrom(window)));
    held = Math.max(held, at - sent);
  }
  const from = Math.max(0, sent - LOOK_BEHIND_CHARS);
  send(text.slice(from), from, text.length);
  return { out, held };
}

const randomPieces = (random: () => number): number[] =>
  Array.from({ length: 50 }, () => 1 + Math.floor(random() * 7));

describe('a secret in pieces', () => {
  it.each(rules)('%s is not decided before it differs from all other text', (rule) => {
    const { text } = makeSecret(rule, seededRandom(rules.indexOf(rule)));
    for (const around of textsAround(text)) {
      expect(brokenAt(secretsDetector, around, everyCut(around), MAX_SECRET_CHARS)).toEqual([]);
    }
  });

  it.each(rules)('%s is masked whole, and all other text is sent', (rule) => {
    const random = seededRandom(500 + rules.indexOf(rule));
    const { text } = makeSecret(rule, random);
    for (const around of textsAround(text)) {
      const masked = mask(around, findSecrets(around));
      if (!around.startsWith('my key')) expect(masked).not.toBe(around);
      expect(streamed(around, randomPieces(random)).out).toBe(masked);
    }
  });
});

describe('the text held back', () => {
  const [jwtHeader = ''] = secretOf('jwt').split('.');
  const pem = secretOf('pem_private_key');
  const jira = secretOf('atlassian_legacy_token');

  test.each([
    ['a sentence', 'It is late. ', ''],
    ['a sentence’s last word', 'It is late', 'late'],
    ['a full stop', 'It is late.', ''],
    ['a long word', `In ${'antidisestablishmentarianism'.repeat(2)}`, ''],
    ['a call', 'const value = readSecret(', ''],
    ['a number', 'It costs 42', '42'],
    ['an address', 'see https://example.org/docs/', ''],
    ['a list', '- one\n- ', ''],
    ['a hyphen, which may begin a private key', 'a well-', '-'],
    ['a hyphen and a word', 'a well-k ', ''],
    ['hyphens that may begin a key', 'a\n---', '---'],
    ['a prefix', 'a risk of sk-', 'sk-'],
    ['a prefix in a word, but for the hyphen', 'a disk-', '-'],
    ['a prefix behind a word that announces it', 'my keysk-', 'sk-'],
    ['a prefix in a word', 'a disk-d', 'd'],
    ['the letter before the last', 'a digest: 0a1b2c3d', '0a1b2c3d'],
    ['a token', `${secretOf('github_token')}`, secretOf('github_token')],
    ['a token that nothing makes longer', `${secretOf('github_token')} `, ''],
    ['a name', 'COHERE_API_KEY = "', ''],
    ['the value of a name', 'COHERE_API_KEY = "a1B2', 'a1B2'],
    ['what is too long for the value of a name', `COHERE_API_KEY = "${'z1B2'.repeat(20)}`, ''],
    ['a value that another may take the place of', `jira is ${jira} = x1Y2`, `${jira} = x1Y2`],
    ['a token of JSON, its header alone', `t=${jwtHeader}`, jwtHeader],
    ['a header with a comma', `t=${jwtHeader},`, ''],
    [
      'JSON in base64 that is too long for a header, which may hold a secret',
      `d: ${btoa(JSON.stringify({ items: 'ab'.repeat(150) }))}`,
      btoa(JSON.stringify({ items: 'ab'.repeat(150) })),
    ],
    [
      'binary JSON in base64 that is too long for a header',
      `d: ${Buffer.from(`{"items":"${'\xff'.repeat(300)}`, 'latin1').toString('base64')}`,
      '',
    ],
    ['a private key without its footer', `> ${pem.slice(0, 150)}`, pem.slice(0, 150)],
    ['a private key with its footer', `> ${pem}`, ''],
    ['a certificate', `> ${pem.replaceAll('PRIVATE KEY', 'CERTIFICATE').slice(0, 150)} `, ''],
    ['a certificate in base64', `c: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t${'MIIB'.repeat(20)}`, ''],
    ['an escape, which may be read as a letter too', String.raw`"line\n`, 'n'],
    ['a word behind an escape', String.raw`"line\nof`, 'nof'],
    ['what follows an escape', String.raw`"line\n- `, ''],
    ['an escape cut short', String.raw`"line \u00`, String.raw`\u00`],
    ['an escape of an escape cut short', String.raw`"line \\u00`, String.raw`\\u00`],
  ])('of %s', (_what, text, expected) => {
    expect(openWords(secretsDetector, text)).toBe(expected);
  });

  it('is at most as long as the longest secret, even for a start without an end', () => {
    const long = secretRules.filter(({ maxChars, anchor }) => maxChars > 1000 && anchor === 'head');
    const begun = [
      ...long.flatMap(({ keywords }) => keywords),
      'session_token = ',
      'eyJhbGciOiJIUzI1NiJ9.ey',
      '-----BEGIN PRIVATE KEY-----\n',
    ];
    const letters = 'aZ3bY7cX1dW9eV5fU2gT8hS6iR4jQ0k'.repeat(1200);
    const lines = letters.replaceAll(/(.{64})/g, '$1\n');
    const escaped = lines.replaceAll('\n', String.raw`\n`).replaceAll('a', String.raw`\u0061`);
    for (const text of begun.flatMap((start) => [letters, lines, escaped].map((more) => start + more))) {
      expect(text.length - secretsDetector.openFrom(text)).toBeLessThanOrEqual(MAX_SECRET_CHARS);
    }
  });

  it('is short in ordinary text', () => {
    const prose =
      'Most of what passes is prose: sk-learn, the ASIA desk, `path.join(a, b)`, 4 % of 12 items.\n';
    const { out, held } = streamed(prose.repeat(20), [4]);
    expect(out).toBe(prose.repeat(20));
    expect(held).toBeLessThanOrEqual(8);
  });
});

describe('any text', () => {
  const jwt = secretOf('jwt');
  const pem = secretOf('pem_private_key');
  const pieces = [
    ...String.raw`" \ \" \n \\ \\n \u0041 \u00 = - . / %3D`.split(' '),
    ...[' ', '\n', ': "'],
    ...'is it x 7 xxxxxx EXAMPLE mistral COHERE_KEY okta _'.split(' '),
    ...['漢', '🙂', '\ud800'],
    ...'sk- eyJ ghp_ glpat- Q~ 8Q~ :AA T3BlbkFJ JQQJ99 LS0tLS1CRUdJTi'.split(' '),
    ...['-----BEGIN '],
    ...[secretOf('github_token'), secretOf('mistral_api_key'), secretOf('azure_ad_client_secret')],
    ...[secretOf('telegram_bot_token'), secretOf('aws_access_key_id'), secretOf('twilio_key')],
    ...[jwt.slice(0, 60), jwt.slice(60), pem.slice(0, 40), pem.slice(40, 90), '-----END PRIVATE KEY-----'],
  ];

  it('keeps every promise of a stream, at any cut', () => {
    expectStreamContract(secretsDetector, pieces, { maxOpenChars: MAX_SECRET_CHARS });
  });

  it('is masked alike in pieces and whole', () => {
    fc.assert(
      fc.property(
        textsOf(pieces),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (text, sizes) => {
          // Longer texts are searched without their beginning, which may be the middle of a word.
          const short = text.slice(0, LOOK_BEHIND_CHARS);
          expect(streamed(short, sizes).out).toBe(mask(short, findSecrets(short)));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('takes linear time for the open end in the slowest cases', () => {
    const hostile = [
      'glpat-',
      'bedrock-api-key-/',
      'ZXlKaGJHY2lPaUpJVXpJMU5pSjku/',
      'sk-T3BlbkFJ',
      '\\u005c',
      'contentful=',
    ];
    const times = [...hostile, `${pem}\n`, '-----BEGIN PRIVATE KEY-----\nA: '].map((piece) => {
      const text = piece.repeat(Math.ceil(200_000 / piece.length));
      return quickestCpuMs(() => secretsDetector.openFrom(text), 1);
    });
    expect(Math.max(...times)).toBeLessThan(1000);
  });
});
