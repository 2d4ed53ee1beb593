import { expect, it } from 'vitest';
import { createAnswerStream } from '../../../src/answers/answer-stream.ts';
import { newAnswer } from '../../../src/answers/new-answer.ts';
import type { ProviderName } from '../../../src/providers/registry.ts';
import { sse } from '../../../src/streams/sse.ts';
import { contentDetector, rewriterOf } from '../../support/dlp-rewriter.ts';
import { createRandom } from '../../support/random.ts';
import { streamReaderOf } from '../../support/stream-reader.ts';
import { makeSecret } from '../detectors/secrets/samples.ts';

const SECRET = makeSecret('aws_access_key_id', createRandom(8)).text;

type Event = (id: string, model: string) => object;
const chunk: Event = (id, model) => ({ id, model, choices: [{ index: 0, delta: { content: 'Hi, ' } }] });
const text: Event = (id, model) => ({ id, model, choices: [{ index: 0, text: 'Hi, ' }] });
const created: Event = (id, model) => ({ type: 'response.created', response: { id, model } });
const ROWS: readonly (readonly [ProviderName, string, Event])[] = [
  ['mistral', '/v1/chat/completions', chunk],
  ['openai', '/v1/chat/completions', chunk],
  ['openai', '/v1/completions', text],
  ['openai', '/v1/responses', created],
];

it.each(ROWS)(
  'the end of a cut stream of %s %s does not repeat the text that it is cut for',
  async (provider, path, event) => {
    for (const last of [event(SECRET, 'm'), event('c', SECRET)]) {
      for (const before of [[], [event('c', 'm')]]) {
        const stream = createAnswerStream({
          answer: newAnswer(),
          format: sse,
          reader: streamReaderOf(provider, path, ''),
          rewriters: [rewriterOf(contentDetector())],
        });
        const events = [...before, last].map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
        const { bytes, cut } = await stream.push(Buffer.from(events));
        expect(cut?.type).toBe('dlp_quarantine');
        expect(bytes.toString()).not.toContain(SECRET);
      }
    }
  },
);
