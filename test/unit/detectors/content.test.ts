import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  createContentDetector,
  createFindContentAll,
  type ContentScope,
} from '../../../src/detectors/content.ts';
import { VISA } from './pii/card-samples.ts';
import { makeSecret, seededRandom } from './secrets/samples.ts';
import { brokenAt, expectStreamContract, textsOf } from './stream-contract.ts';

const EVERYTHING: ContentScope = { scanSecrets: true, scanPii: true, scanNetwork: true, allowedHosts: [] };
const NOTHING: ContentScope = { scanSecrets: false, scanPii: false, scanNetwork: false, allowedHosts: [] };
const TOKEN = makeSecret('github_token', seededRandom(7)).secret;
const SSN = ['319', '42', '5786'].join('-');

const TEXT = `${TOKEN}, ann@mail.example, ${VISA}, ${SSN}, +1 (212) 555-0134, 10.20.30.40, ::1, localhost, db7.internal`;

function found(scope: Partial<ContentScope>, text: string): string[] {
  return createContentDetector({ ...NOTHING, ...scope })
    .find(text)
    .map(({ class: kind, start, end }) => `${kind} ${text.slice(start, end)}`);
}

describe('data-loss prevention', () => {
  const secrets = [`secret ${TOKEN}`];
  const pii = ['email ann@mail.example', `card ${VISA}`, `ssn ${SSN}`, 'phone +1 (212) 555-0134'];
  const network = ['network 10.20.30.40', 'network ::1', 'network localhost', 'network db7.internal'];

  test.each([
    ['everything', EVERYTHING, [...secrets, ...pii, ...network]],
    ['secrets', { scanSecrets: true }, secrets],
    ['personal data', { scanPii: true }, pii],
    ['networks', { scanNetwork: true }, network],
    ['nothing', {}, []],
  ])('finds the enabled classes: %s', (_, scope, expected) => {
    expect(found(scope, TEXT)).toEqual(expected);
  });

  it('does not find addresses at allowed hosts', () => {
    const scope = { scanPii: true, allowedHosts: ['mail.example'] };
    expect(found(scope, 'ann@mail.example, bob@sub.mail.example, eve@other.example')).toEqual([
      'email eve@other.example',
    ]);
  });
});

describe('findings that overlap', () => {
  test.each([
    ['a host in an address', 'ann@db7.internal', ['email ann@db7.internal']],
    ['an address in a host', '10.20.30.40.db.internal', ['network 10.20.30.40.db.internal']],
    ['a phone number as an address', '2125550134@sms.example', ['email 2125550134@sms.example']],
    [
      'a card in groups',
      `card ${VISA.replaceAll(/(\d{4})(?=\d)/g, '$1 ')}`,
      [`card ${VISA.replaceAll(/(\d{4})(?=\d)/g, '$1 ')}`],
    ],
    ['a secret as a local part', `${TOKEN}@mail.example`, [`secret ${TOKEN}`, 'email @mail.example']],
    [
      'a secret as a password',
      `https://x:${TOKEN}@db7.internal/`,
      [`secret ${TOKEN}`, 'email @db7.internal'],
    ],
  ])('have one class per stretch: %s', (_, text, expected) => {
    expect(found(EVERYTHING, text)).toEqual(expected);
  });

  it('of allowed hosts leave the host to the network', () => {
    expect(found({ ...EVERYTHING, allowedHosts: ['internal'] }, 'ann@db7.internal')).toEqual([
      'network db7.internal',
    ]);
  });
});

const PIECES = [
  ...['a', 'ann@', '@', '.', 'mail.example', 'a@b.internal', '.local', 'localhost', '10.20.30.40', '::1'],
  ...[VISA, '4242 4242 4242 4242', SSN, '(212) 555-0134', '+44 20 7946 0123', '2125550134', 'phone: ', 'x'],
  ...[' ', '-', '+', '\n', '1', '0', '\\', '\\n', '\\u00e9', '%40', 'y'.repeat(50)],
];

describe('a stream', () => {
  it('of personal data and addresses keeps its promises', () => {
    const detector = createContentDetector({ ...EVERYTHING, scanSecrets: false });
    expectStreamContract(detector, PIECES, { maxOpenChars: 320 });
  });

  it.each(['\\u00e9\\ba@b.internal', '\\u00e9\\u200ba@b.example', '\\u00fc\\u00e9\\u00adann@b.example'])(
    'holds back the letters of an address that an escape of no width joins: %s',
    (text) => {
      const detector = createContentDetector({ ...EVERYTHING, scanSecrets: false });
      const cuts = Array.from({ length: text.length + 1 }, (_, at) => at);
      expect(brokenAt(detector, text, cuts, 320)).toEqual([]);
    },
  );

  it('with secrets in it keeps its promises', () => {
    const detector = createContentDetector(EVERYTHING);
    const texts = textsOf([...PIECES, TOKEN, TOKEN.slice(0, 10), `${TOKEN}@b.example`, 'password = "']);
    fc.assert(
      fc.property(texts, fc.nat(), (text, random) => {
        expect(brokenAt(detector, text, [random % (text.length + 1)], text.length)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('is decided at every cut of a text with findings of all kinds', () => {
    const cuts = Array.from({ length: TEXT.length + 1 }, (_, at) => at);
    expect(brokenAt(createContentDetector(EVERYTHING), TEXT, cuts, TOKEN.length)).toEqual([]);
  });

  test.each(['Once upon a time, ', 'there was (once)', '"a king"', 'who said:\n', 'No!', 'Why?', 'Well... '])(
    'of ordinary words holds nothing back at their end: %j',
    (text) => {
      expect(createContentDetector(EVERYTHING).openFrom(text)).toBe(text.length);
    },
  );
});

describe('whole texts', () => {
  const detector = createContentDetector(EVERYTHING);
  const searchAll = createFindContentAll(EVERYTHING, Infinity);
  const findAll = async (texts: readonly string[]) =>
    (await searchAll(texts)).map(({ findings }) => findings);

  it('have the same findings, together or one by one', async () => {
    const texts = [TEXT, '', 'nothing', `${TEXT} ${TEXT}`];
    expect(await findAll(texts)).toEqual(texts.map((text) => detector.find(text)));
  });

  it('have the same findings, however they are sliced', async () => {
    for (let shift = 0; shift < 9; shift += 1) {
      const text = `${'.'.repeat(shift * 31)}${`${TEXT} and ${'4242 '.repeat(9)}a@b.example@c.example; `.repeat(50)}`;
      expect(await findAll([text])).toEqual([detector.find(text)]);
    }
  });

  describe('with a limit on findings', () => {
    const MOST = 100;
    const searchUpTo = createFindContentAll(EVERYTHING, MOST);
    const mails = (count: number): string => 'ann@mail.example '.repeat(count);

    it('are searched to the end if they have exactly as many', async () => {
      const [few, rest] = await searchUpTo([mails(60), mails(40)]);
      expect([few?.findings.length, few?.isWhole]).toEqual([60, true]);
      expect([rest?.findings.length, rest?.isWhole]).toEqual([40, true]);
    });

    it('are marked as incomplete if they have more, as are later clean texts', async () => {
      const results = await searchUpTo(['nothing', mails(60), mails(100_000), 'nothing']);
      expect(results.map(({ isWhole }) => isWhole)).toEqual([true, true, false, false]);
      expect(results[2]?.findings.length).toBeLessThan(1000);
    });

    it('are searched for secrets to the end first', async () => {
      const { secret } = makeSecret('aws_access_key_id', seededRandom(3));
      const results = await searchUpTo([mails(200), `at last ${secret}`]);
      expect(results[1]?.findings.map((one) => one.class)).toEqual(['secret']);
    });

    it('are incomplete if they have too many secrets alone', async () => {
      const random = seededRandom(3);
      const secrets = Array.from({ length: 150 }, () => makeSecret('aws_access_key_id', random).secret);
      const results = await searchUpTo([secrets.join(' '), mails(1)]);
      expect(results.map(({ isWhole }) => isWhole)).toEqual([false, false]);
      expect(results[0]?.findings[0]?.class).toBe('secret');
    });

    it('count each finding once, even if several views show it', async () => {
      const [hidden] = await searchUpTo(['ann@ma\u200bil.example \u200b '.repeat(90)]);
      expect([hidden?.findings.length, hidden?.isWhole]).toEqual([90, true]);
      const [many] = await searchUpTo(['ann@ma\u200bil.example '.repeat(5_000)]);
      expect(many?.isWhole).toBe(false);
    });
  });
});
