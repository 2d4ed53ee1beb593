import { describe, expect, it } from 'vitest';

import { contentDetector, DEFAULT_ACTIONS, type ActionOf } from '../../../support/dlp-rewriter.ts';
import { DIALECT_STREAMS, type DialectStream } from '../../../support/dialect-streams.ts';
import {
  cutAt,
  expectedOf,
  interleaved,
  leakedChars,
  shredded,
  throughDlp,
} from '../../../support/dlp-sweep.ts';
import { createRandom } from '../../../support/random.ts';
import { AMEX, DISCOVER, MASTERCARD, VISA } from '../../detectors/pii/card-samples.ts';
import { makeSecret } from '../../detectors/secrets/samples.ts';

const detector = contentDetector({ allowedHosts: ['example.org'] });

const CLEAN =
  'It rained, so we stayed in – and "played" cards \u{1F0CF}\u{1F0D1} until 9.30.\n\tThat is all: 42.';
const secret = (rule: string): string => makeSecret(rule, createRandom(11)).text;

/** A text for each class in docs/dlp.md, and some without findings. */
const TEXTS: Readonly<Record<string, string>> = {
  'an email address': 'Write to jane.doe+shop@mail.example.com, or to help@example.org.',
  'a Visa number': `Paid with ${VISA} today.`,
  'a MasterCard number': `Paid with ${MASTERCARD.replace(/(\d{4})(?=\d)/g, '$1 ')} today.`,
  'an Amex number': `Paid with ${AMEX} today.`,
  'a Discover number': `Paid with ${DISCOVER.replace(/(\d{4})(?=\d)/g, '$1-')} today.`,
  'a social security number': 'Her SSN is 219-09-9999, she says.',
  'an E.164 number': 'Call +14155552671 or +442079460958 now.',
  'a NANP number': 'Call (415) 555-2671 now.',
  'private addresses': 'Hosts 10.1.2.3, 172.20.0.9 and 192.168.1.77 answer; 8.8.8.8 too.',
  'loopback addresses': 'It listens on 127.0.0.1:8080, that is http://localhost:8080/x.',
  'internal hosts': 'See db01.prod.internal, nas.local and git.acme.corp.',
  'a cloud key': `The key is ${secret('aws_access_key_id')}, keep it.`,
  'a provider key': `The key is ${secret('anthropic_api_key')}, keep it.`,
  'a repository token': `The token is ${secret('github_token')}, keep it.`,
  'a chat token': `The token is ${secret('slack_token')}, keep it.`,
  'a web token': `Bearer ${secret('jwt')} is it.`,
  'a private key': `So:\n${secret('pem_private_key')}\nThat was it.`,
  'several of them': 'Mail a.b@example.net from 10.0.0.1, SSN 219-09-9999.',
  'nothing of the kind': CLEAN,
  'escapes and quotes': 'say "\\n" and \\u0041, C:\\new\\table, {"a": [1, 2]}\u2028\u0000.',
};

const BESIDE = 'Words beside it, no more.';

async function verdict(
  dialect: DialectStream,
  [text, pieces]: readonly [string, readonly string[]],
  { actionOf = DEFAULT_ACTIONS, chunks = (bytes: Buffer): Iterable<Buffer> => [bytes] } = {},
): Promise<string> {
  const expected = expectedOf(text, detector, actionOf);
  const beside = shredded(dialect.wrap(BESIDE), createRandom(text.length));
  const bytes = dialect.write(interleaved(pieces, beside));
  const { texts, cut } = await throughDlp(dialect, chunks(bytes), detector, actionOf);
  if (expected.masked === undefined) {
    const leaked = leakedChars(texts[0], text, expected.findings);
    return cut && leaked === 0 ? 'right' : `cut ${String(cut)}, ${String(leaked)} characters leaked`;
  }
  if (cut) return 'cut for no reason';
  const got = dialect.unwrap(texts[0]);
  if (dialect.unwrap(texts[1]) !== BESIDE) return `beside it: ${texts[1]}`;
  return got === expected.masked ? 'right' : `${got} in place of ${expected.masked}`;
}

describe.each(DIALECT_STREAMS)('a streamed answer of $name', (dialect) => {
  const ways: readonly (readonly [string, ActionOf])[] = [
    ['with the default actions', DEFAULT_ACTIONS],
    ['with all actions set to mask', () => 'mask'],
  ];

  it.each(ways)(
    'is judged like the whole text, in pieces of 1 to 7 characters, with %s',
    async (_, actionOf) => {
      const wrong: string[] = [];
      for (const [name, text] of Object.entries(TEXTS)) {
        const pieces = shredded(dialect.wrap(text), createRandom(name.length));
        const got = await verdict(dialect, [text, pieces], { actionOf });
        if (got !== 'right') wrong.push(`${name}: ${got}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  it('is judged like the whole text, wherever its text is cut in two', async () => {
    const wrong: string[] = [];
    for (const name of ['several of them', 'a cloud key', 'escapes and quotes']) {
      const text = TEXTS[name] ?? '';
      const wrapped = dialect.wrap(text);
      for (let at = 0; at <= wrapped.length; at += 1) {
        const got = await verdict(dialect, [text, cutAt(wrapped, at)]);
        if (got !== 'right') wrong.push(`${name}, ${String(at)}: ${got}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('is judged like the whole text, wherever its bytes are cut', async () => {
    const wrong: string[] = [];
    for (const name of ['several of them', 'a cloud key']) {
      const text = TEXTS[name] ?? '';
      const pieces = shredded(dialect.wrap(text), createRandom(3));
      const all = dialect.write(
        interleaved(pieces, shredded(dialect.wrap(BESIDE), createRandom(text.length))),
      );
      const cuts = Array.from({ length: 40 }, (_, nth) => Math.floor((nth * all.length) / 40));
      const ways = [
        (bytes: Buffer): Buffer[] => [...bytes].map((byte) => Buffer.from([byte])),
        ...cuts.map((at) => (bytes: Buffer): Buffer[] => [bytes.subarray(0, at), bytes.subarray(at)]),
      ];
      for (const [nth, chunks] of ways.entries()) {
        const got = await verdict(dialect, [text, pieces], { chunks });
        if (got !== 'right') wrong.push(`${name}, way ${String(nth)}: ${got}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
