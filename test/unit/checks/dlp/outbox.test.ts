import { expect, it } from 'vitest';
import { MaskingBuffer } from '../../../../src/checks/dlp/scan/masking-buffer.ts';
import { Outbox } from '../../../../src/checks/dlp/stream/outbox.ts';
import type { EventText } from '../../../../src/checks/dlp/stream/read-event.ts';

const COUNT = 2_000;

function textOf(text: string, at: number): EventText {
  const buffer = new MaskingBuffer();
  buffer.append(text);
  buffer.settleAll();
  if (at === 1) buffer.replace({ start: 0, end: text.length, text: '***' });
  const delta = { channel: String(at), kind: 'text', text, path: [at], repeats: true } as const;
  return { buffer, from: 0, to: text.length, delta, channel: undefined };
}

it('an event of many texts leaves in steps, each with what was masked in it', () => {
  const outbox = new Outbox(() => true);
  const texts = Array.from({ length: COUNT }, (_, at) => textOf(`text ${String(at)}`, at));
  const nothing = { edits: [], tokenIds: [], tokens: [], unsent: [], closed: [], follows: [], waits: false };
  const event = { frame: { raw: Buffer.alloc(0) }, deltas: texts.map(({ delta }) => delta) };
  const work = outbox.add({ ...nothing, event, texts });
  let steps = 0;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) {
      expect(step.value).toEqual({
        before: [],
        edits: [{ kind: 'set', path: [1], value: '***' }],
        isHeld: false,
      });
      break;
    }
    steps += 1;
  }
  expect(steps).toBeGreaterThan(COUNT);
});
