import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { maskSecrets } from '../../../../src/detectors/mask.ts';
import { MAX_SECRET_CHARS } from '../../../../src/detectors/secrets/secret-rules.ts';
import { STEP_CHARS } from '../../../../src/detectors/secrets/search.ts';
import { findSecrets, findSecretsAll, secretsDetector } from '../../../../src/detectors/secrets/secrets.ts';
import { quickestCpuMs } from '../../../support/cpu-time.ts';
import { brokenAt, expectStreamContract } from '../stream-contract.ts';
import { makeSecret, seededRandom } from './samples.ts';
import { rules, spansOf } from './spans.ts';

const secretOf = (rule: string, seed = 1): string => makeSecret(rule, seededRandom(seed)).secret;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const wrapped = (digits: string, width: number, lineBreak = '\n'): string =>
  digits.replaceAll(new RegExp(`.{${String(width)}}(?=.)`, 'g'), `$&${lineBreak}`);

const token = secretOf('github_token');
const env = [
  '# production',
  'LOG_LEVEL=info',
  'DATABASE_HOST=db.example.org',
  `AWS_SECRET_ACCESS_KEY=${secretOf('aws_secret_access_key')}`,
  'WORKERS=4',
].join('\n');

const encodings: readonly (readonly [name: string, encode: (text: string) => string])[] = [
  ['Base64', base64],
  ['Base64 without padding', (text) => base64(text).replace(/=+$/, '')],
  ['URL-safe Base64', (text) => Buffer.from(`${text}~~?>`).toString('base64url')],
  ['hexadecimal', hex],
  ['hexadecimal in capitals', (text) => hex(text).toUpperCase()],
  ['Base64 of UTF-16', (text) => Buffer.from(text, 'utf16le').toString('base64')],
  ['Base64 of UTF-16, big end first', (text) => Buffer.from(text, 'utf16le').swap16().toString('base64')],
  ['Base64 of UTF-16 with a mark', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').toString('base64')],
  ['Base64 of UTF-8 with a mark', (text) => base64(`\ufeff${text}`)],
  ['Base64 of Base64', (text) => base64(base64(text))],
  ['Base64 of hexadecimal digits', (text) => base64(hex(text))],
  ['hexadecimal digits of Base64', (text) => hex(base64(text))],
  ['Base64 of a line', (text) => base64(`${text}\n`)],
  ['Base64 of JSON', (text) => base64(JSON.stringify({ token: text }))],
  ['Base64 of words in another language', (text) => base64(`Schlüssel für später: ${text}`)],
];

describe('an encoded secret', () => {
  it.each(encodings)('is found as %s, and the mask leaves none of its digits', (_name, encode) => {
    const digits = encode(token);
    for (const [before, behind] of [
      ['', ''],
      ['Here: ', ' keep it.'],
      ['{"data":"', '"}'],
      ['token=', '&x=1'],
      ['<b>', '</b>'],
      ['key: ', '\nnext: 1'],
    ] as const) {
      expect(maskSecrets(before + digits + behind)).toBe(`${before}***${behind}`);
    }
  });

  it.each(rules)('%s is found in Base64 and in hexadecimal digits, beside a name', (rule) => {
    const { text } = makeSecret(rule, seededRandom(70 + rules.indexOf(rule)));
    for (const digits of [base64(text), hex(text), base64(`export ${text}\n`)]) {
      expect(maskSecrets(`value ${digits} end`)).toBe('value *** end');
    }
  });

  it('is recognized by the name before it', () => {
    const secret = secretOf('aws_secret_access_key');
    const { length } = base64(secret);
    expect(spansOf(`AWS_SECRET_ACCESS_KEY: ${base64(secret)}\n`)).toEqual([
      { rule: 'aws_secret_access_key', found: base64(secret) },
    ]);
    expect(findSecrets(`checksum of everything: ${base64(secret)}\n`)).toEqual([]);
    expect(length).toBeGreaterThan(16);
  });

  test.each([
    [76, '\r\n'],
    [64, '\n'],
    [60, '\n      '],
    [20, '\n'],
  ])('is found in lines of %i digits', (width, lineBreak) => {
    for (const digits of [base64(env), hex(env), base64(`${env}\n${env}`)]) {
      const lines = wrapped(digits, width, lineBreak);
      expect(maskSecrets(`data: |\n  ${lines}\nend`)).toBe('data: |\n  ***\nend');
    }
  });

  it('is found with a whole short run, or with its neighbours in a long one', () => {
    expect(maskSecrets(`x ${base64(env)} y`)).toBe('x *** y');
    const filler = 'just some words of a log, line by line.\n'.repeat(400);
    const digits = base64(`${filler}${token}\n${filler}`);
    const masked = maskSecrets(`x ${digits} y`);
    expect(masked.length).toBeLessThan(digits.length - 8192);
    const left = masked.slice(2, -2).split('***');
    expect(left.map((part) => digits.includes(part))).toEqual([true, true]);
    expect(Buffer.from(left[0] ?? '', 'base64').toString()).not.toContain('ghp_');
  });

  it.each(['/path/', 'v1/keys/', 'prefix-', 'my_', 'a/b+c-d_'])('is found after %s in one run', (before) => {
    for (const more of ['', 'x', 'xy', 'xyz']) {
      const text = `${more}${before}${base64(token)}`;
      expect(maskSecrets(`see ${text}`)).not.toContain(base64(token).slice(-20));
      expect(findSecrets(`see ${text}`)).toHaveLength(1);
    }
  });

  it('is found in a text that begins in the middle of its digits', () => {
    const digits = base64(`${'some words before it '.repeat(4)}${token} and behind`);
    for (let cut = 0; cut < 40; cut += 1) expect(findSecrets(digits.slice(cut))).toHaveLength(1);
  });

  it('is found wherever a long text is cut into steps', () => {
    const text = ` ${wrapped(base64(env), 64)} `;
    const expected = findSecrets(text);
    expect(expected).toHaveLength(1);
    for (let at = 0; at <= text.length; at += 1) {
      const before = ' '.repeat(STEP_CHARS - at);
      const found = findSecrets(`${before}${text}${before}`);
      expect(found.map(({ start, end }) => [start - before.length, end - before.length])).toEqual(
        expected.map(({ start, end }) => [start, end]),
      );
    }
    for (let at = 0; at <= 90; at += 1) {
      const before = ' '.repeat(STEP_CHARS - at);
      expect(findSecrets(`${before}${hex(token)} `)).toHaveLength(1);
    }
  });

  it('is found in JSON escapes', () => {
    const digits = wrapped(base64(env), 64);
    expect(JSON.parse(maskSecrets(JSON.stringify({ a: digits })))).toEqual({ a: '***' });
    const twice = JSON.stringify({ a: JSON.stringify({ b: digits }) });
    expect(JSON.parse(JSON.parse(maskSecrets(twice)).a)).toEqual({ b: '***' });
  });

  it('is found in at most two encodings', () => {
    expect(findSecrets(base64(base64(token)))).toHaveLength(1);
    expect(findSecrets(base64(base64(base64(token))))).toEqual([]);
  });

  it('is found the same in several texts and in one', async () => {
    const texts = ['', base64(token), wrapped(base64(env.repeat(500)), 76), hex(env.repeat(500))];
    expect(await findSecretsAll(texts)).toEqual(texts.map((text) => findSecrets(text)));
  });
});

describe('Basic credentials', () => {
  const pair = base64('deploy:k7Vq-hunter2');

  test.each([
    ['Authorization: Basic ', ''],
    ["curl -H 'authorization: basic ", "' https://example.org"],
    ['"Authorization": "Basic ', '"'],
    ['//registry.example.org/:_auth=', '\nalways-auth=true'],
    ['_auth = "', '"'],
    ['{"auths":{"registry.example.org":{"auth":"', '"}}}'],
  ])('are found after %s', (before, behind) => {
    expect(maskSecrets(before + pair + behind)).toBe(`${before}***${behind}`);
    expect(spansOf(before + pair + behind)).toEqual([{ rule: 'basic_credentials', found: pair }]);
  });

  it('are found if the name is a key and the password is empty', () => {
    expect(maskSecrets(`Basic ${base64('9f8e7d6c5b4a39281706:')}`)).toBe('Basic ***');
    expect(findSecrets(`Basic ${base64('not-a-key:')}`)).toEqual([]);
  });

  test.each([
    'user:password',
    'username:password',
    'Aladdin:open sesame',
    'user:your_password',
    'foo:xxxxxxxx',
  ])('are not found in the example of a manual: %s', (sample) => {
    expect(findSecrets(`Authorization: Basic ${base64(sample)}`)).toEqual([]);
  });

  it('are not found without the word before them or without a pair', () => {
    expect(findSecrets(`id: ${pair}`)).toEqual([]);
    expect(findSecrets(`Basic ${base64('just a few words here')}`)).toEqual([]);
    expect(findSecrets('a basic configurationOfEverything')).toEqual([]);
  });
});

describe('an encoded text without a secret', () => {
  const random = seededRandom(90);
  const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => random() * 256));

  it('has no finding', () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg">${'<path d="M0 0h24v24H0z"/>'.repeat(40)}</svg>`;
    for (const text of [
      bytes(30_000).toString('base64'),
      bytes(30_000).toString('hex'),
      wrapped(bytes(30_000).toString('base64'), 76),
      `data:image/svg+xml;base64,${base64(svg)}`,
      base64('Nothing but a sentence, and another one. '.repeat(100)),
      base64(JSON.stringify({ id: 'a8f5f167-f44f-4964-a6c9-8b2d8f3e1c55', sha: hex('some more bytes') })),
      base64('AKIAIOSFODNN7EXAMPLE is in every manual'),
      'a'.repeat(5000),
      'com/example/aVeryLongPackageName/AnotherVeryLongClassName$Inner',
    ]) {
      expect(findSecrets(text)).toEqual([]);
    }
  });

  it('is not held back in a stream once it cannot be text', () => {
    const image = `see ${bytes(3000).toString('base64')}`;
    expect(image.length - secretsDetector.openFrom(image)).toBeLessThan(200);
    const log = base64('words, line by line.\n'.repeat(2000));
    expect(log.length - secretsDetector.openFrom(log)).toBeLessThan(5000);
  });

  it('takes linear time in the slowest cases', () => {
    const lines = wrapped(base64('a b '.repeat(57)), 76);
    const hostile = [
      'ICAg',
      '/ICAg',
      base64(base64(base64('AKIA'.repeat(9)))),
      '41424344',
      `${lines}\n`,
      'AAAA',
      'a/',
      '-ghp_',
      base64('Basic QWxh'),
    ];
    const times = hostile.map((piece) => {
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
      return quickestCpuMs(() => findSecrets(text), 1);
    });
    expect(Math.max(...times)).toBeLessThan(1500);
  });
});

describe('an encoded secret in pieces', () => {
  const texts = encodings.map(([, encode]) => `Here: ${encode(token)}, keep it.`);
  const others = [
    wrapped(base64(env), 76),
    wrapped(hex(env), 60),
    `Authorization: Basic ${base64('deploy:k7Vq-hunter2')}\n`,
    `${base64(`${'words '.repeat(900)}${token}`)} end`,
    `{"a":${JSON.stringify(wrapped(base64(env), 64))}}`,
    `v1/keys/${base64(token)}`,
  ];

  it.each([...texts, ...others])('keeps every promise of a stream, cut anywhere: %#', (text) => {
    const step = Math.ceil(text.length / 300);
    const cuts = Array.from({ length: Math.floor(text.length / step) }, (_, index) => index * step);
    // A byte order mark has a slash among its first digits, which ends the held word.
    const isMarked = /77u\/|\/\/5/.test(text);
    const broken = brokenAt(secretsDetector, text, cuts, MAX_SECRET_CHARS);
    expect(broken.filter((at) => !isMarked || at > 'Here: 77u/Z'.length)).toEqual([]);
  });

  it('keeps every promise of a stream among any pieces', () => {
    const digits = base64(token);
    const pieces = [
      ...[' ', '\n', '\r\n  ', '=', '/', '-', '_', '"', '\\n', '.', 'Basic ', '_auth='],
      ...[digits.slice(0, 21), digits.slice(21), hex(token).slice(0, 33), hex(token).slice(33)],
      ...[digits, hex(token), base64(base64(token)), base64('deploy:k7Vq-hunter2'), base64('some words ')],
      ...['Z2hwXw', 'word', '漢', '41', wrapped(base64(env), 64)],
    ];
    expectStreamContract(secretsDetector, pieces, { maxOpenChars: MAX_SECRET_CHARS });
  });

  it('is found before more than a few of its digits are sent', () => {
    fc.assert(
      fc.property(fc.constantFrom(...encodings), fc.nat(200), ([, encode], cut) => {
        const digits = encode(token).replace(/=+$/, '');
        const open = secretsDetector.openFrom(`x ${digits.slice(0, cut)}`);
        expect(open - 'x '.length).toBeLessThan(6);
      }),
      { numRuns: 300 },
    );
  });
});
