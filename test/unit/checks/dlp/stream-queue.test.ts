import { expect, it } from 'vitest';
import { MaskingBuffer } from '../../../../src/checks/dlp/scan/masking-buffer.ts';
import type { Piece } from '../../../../src/checks/dlp/stream/stream-entry.ts';
import { StreamQueue } from '../../../../src/checks/dlp/stream/stream-queue.ts';

const COUNT = 2_000;

function pieceOf(text: string, at: number): Piece {
  const buffer = new MaskingBuffer();
  buffer.append(text);
  buffer.settleAll();
  if (at === 1) buffer.replace({ start: 0, end: text.length, text: '***' });
  const delta = { channel: String(at), kind: 'text', text, path: [at], repeats: true } as const;
  return { buffer, from: 0, to: text.length, delta, channel: undefined };
}

it('an event of many texts leaves in steps, each with what was masked in it', () => {
  const queue = new StreamQueue(() => true);
  const pieces = Array.from({ length: COUNT }, (_, at) => pieceOf(`text ${String(at)}`, at));
  const nothing = { edits: [], tokenIds: [], tokens: [], unsent: [], closed: [], waits: false };
  const event = { frame: { raw: Buffer.alloc(0) }, deltas: pieces.map(({ delta }) => delta) };
  const work = queue.add({ ...nothing, event, pieces });
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
