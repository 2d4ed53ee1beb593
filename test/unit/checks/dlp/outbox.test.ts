import { expect, it } from 'vitest';
import { MaskingBuffer } from '../../../../src/inspect/scan/masking-buffer.ts';
import { Outbox } from '../../../../src/inspect/stream/outbox.ts';
import type { EventText } from '../../../../src/inspect/stream/read-event.ts';
import { runNow } from '../../../../src/turns.ts';

const COUNT = 2_000;

function textOf(text: string, at: number): EventText {
  const buffer = new MaskingBuffer();
  buffer.append(text);
  buffer.settleAll();
  if (at === 1) buffer.replace({ start: 0, end: text.length, text: '***' });
  const delta = { channel: String(at), kind: 'text', text, path: [at], repeats: true } as const;
  return { buffer, from: 0, to: text.length, delta, channel: undefined };
}

it('an event of many texts is sent with the edits of the masked ones', () => {
  const outbox = new Outbox(() => true);
  const texts = Array.from({ length: COUNT }, (_, at) => textOf(`text ${String(at)}`, at));
  const nothing = { edits: [], tokenIds: [], tokens: [], unsent: [], closed: [], follows: [], waits: false };
  const event = { frame: { raw: Buffer.alloc(0) }, deltas: texts.map(({ delta }) => delta) };
  expect(runNow(outbox.add({ ...nothing, event, texts }))).toEqual({
    before: [],
    edits: [{ kind: 'set', path: [1], value: '***' }],
    isHeld: false,
  });
});
