import { describe, expect, it } from 'vitest';
import { createTextScanner } from '../../../../src/inspect/scan/text-scanner.ts';
import { DIALECT_STREAMS } from '../../../support/dialect-streams.ts';
import { contentDetector, DEFAULT_ACTIONS } from '../../../support/dlp-rewriter.ts';
import { cutAt, shredded, throughDlp } from '../../../support/dlp-sweep.ts';
import { makeSecret, seededRandom } from '../../detectors/secrets/samples.ts';
import { answered, AWS_KEY, CARD, dlp, EMAIL, judgeAnswer, SSN } from './rig.ts';

const detector = contentDetector({ scanNetwork: false });
const hide = (value: string, hider = '\u200b'): string => [...value].join(hider);
const ORDINARY = '👩‍👩‍👧 می‌خواهم 🏴󠁧󠁢󠁥󠁮󠁧󠁿 Donau\xaddampf ❤️ ';

describe('a finding that invisible characters interrupt', () => {
  it.each([
    ['openai', '/v1/chat/completions', (text: string) => ({ choices: [{ message: { content: text } }] })],
    [
      'openai',
      '/v1/chat/completions',
      (text: string) => ({
        choices: [
          { message: { tool_calls: [{ function: { name: 'f', arguments: JSON.stringify({ x: text }) } }] } },
        ],
      }),
    ],
    ['anthropic', '/v1/messages', (text: string) => ({ content: [{ type: 'text', text }] })],
    [
      'gemini',
      '/v1beta/models/m:generateContent',
      (text: string) => ({ candidates: [{ content: { parts: [{ text }] } }] }),
    ],
    ['ollama', '/api/chat', (text: string) => ({ message: { content: text } })],
  ] as const)('is masked in a whole answer: %s %s', async (provider, path, answer) => {
    const text = `${ORDINARY}to ${hide(EMAIL)} or ${hide(SSN, '\u00ad')}, ${hide(CARD, '\u2060\ufeff')}.`;
    const { body } = await judgeAnswer(dlp(), answered({ provider, path, body: answer(text) }));
    expect(body).toBe(JSON.stringify(answer(`${ORDINARY}to *** or ***, ***.`)));
    const rig = dlp();
    await judgeAnswer(rig, answered({ provider, path, body: answer(`key ${hide(AWS_KEY)}.`) }));
    expect(rig.leaks).toHaveLength(1);
  });

  it.each(DIALECT_STREAMS)('is masked in a stream, cut anywhere: $name', async (dialect) => {
    const text = `So ${ORDINARY}to ${hide(EMAIL)} or ${hide(CARD, '\u00ad')}. Bye`;
    const cuts = Array.from({ length: 24 }, (_, n) => Math.round(((n + 1) * text.length) / 25));
    for (const pieces of [...cuts.map((at) => cutAt(text, at)), shredded(text, seededRandom(4)), [...text]]) {
      const chunks = dialect.write(pieces.map((piece) => ({ of: 0, text: piece })));
      const { texts } = await throughDlp(dialect, [chunks], detector, DEFAULT_ACTIONS);
      expect(texts[0]).toBe(`So ${ORDINARY}to *** or ***. Bye`);
    }
  });

  it('is never sent in a stream, even as a secret in single characters', () => {
    for (const rule of ['aws_access_key_id', 'github_token', 'jwt']) {
      const { secret } = makeSecret(rule, seededRandom(5));
      const scanner = createTextScanner(detector);
      let sent = '';
      const found = [...`key ${hide(secret, '\u200b\u200d')} then`].flatMap((piece) => {
        const now = scanner.push(piece);
        sent += scanner.buffer.take(scanner.buffer.settled);
        return now;
      });
      found.push(...scanner.finish());
      sent += scanner.buffer.take(scanner.buffer.length);
      expect(found.map(({ finding }) => finding.class)).toEqual(['secret']);
      expect(sent).toBe('key *** then');
    }
  });

  it('is found by a name 200 visible characters before it', () => {
    const scanner = createTextScanner(detector);
    const name = `aws_secret_access_key${'\u200b'.repeat(3_000)}: "`;
    const { secret } = makeSecret('aws_secret_access_key', seededRandom(5));
    const found = [name, '\u200b'.repeat(3_000), secret, '" '].flatMap((piece) => scanner.push(piece));
    expect(found.map(({ finding }) => finding.rule)).toEqual(['aws_secret_access_key']);
  });

  it('fails closed if there are too many invisible characters to hold back', () => {
    function flood(before: string): void {
      const scanner = createTextScanner(detector);
      scanner.push(before);
      for (let n = 0; n < 2_000; n += 1) {
        scanner.push('\u200b'.repeat(100));
        expect(scanner.keptChars).toBeLessThan(200_000);
      }
    }
    expect(() => flood(AWS_KEY.slice(0, 9))).toThrow('too much text would have to be held back');
    expect(() => flood('api_key: ')).toThrow('too much text would have to be held back');
  });
});
