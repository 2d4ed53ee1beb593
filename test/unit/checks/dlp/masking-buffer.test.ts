import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MaskingBuffer } from '../../../../src/inspect/scan/masking-buffer.ts';
import { runNow } from '../../../../src/turns.ts';

const chunks = fc.array(fc.string({ unit: 'grapheme', minLength: 700, maxLength: 2_000 }), { maxLength: 3 });

/** A buffer of these chunks with a mask at every `every`-th place, the last one beyond its end if `isOpen`. */
function bufferOf(texts: readonly string[], every: number, isOpen: boolean): MaskingBuffer {
  const buffer = new MaskingBuffer();
  for (const text of texts) {
    buffer.append(text);
    buffer.settle(buffer.length);
  }
  for (let start = every; start < buffer.length; start += every) {
    buffer.replace({ start, end: start + 1, text: '***' });
  }
  if (isOpen && buffer.length > 0) buffer.replace({ start: buffer.length - 1, end: Infinity, text: '' });
  return buffer;
}

it('returns the same in steps as in one piece, with any number of masks', () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 2, max: 9 }), fc.boolean(), (texts, every, isOpen) => {
      const [atOnce, inSteps] = [bufferOf(texts, every, isOpen), bufferOf(texts, every, isOpen)];
      expect(inSteps.settled).toBe(atOnce.settled);
      expect(runNow(inSteps.takeAll())).toBe(atOnce.take(atOnce.length));
      expect([inSteps.sent, inSteps.replacements]).toEqual([atOnce.sent, atOnce.replacements]);
      for (const buffer of [atOnce, inSteps]) buffer.append('more');
      expect(inSteps.take(inSteps.length)).toBe(atOnce.take(atOnce.length));
    }),
  );
});

it('never releases half a character, wherever its text was cut', () => {
  const buffer = new MaskingBuffer();
  buffer.append('ab\u{1f600}'.slice(0, 3));
  buffer.settle(3);
  expect(buffer.settled).toBe(2);
  buffer.append('\u{1f600}'.slice(1));
  buffer.settle(3);
  expect(buffer.settled).toBe(2);
  buffer.settle(4);
  expect(buffer.settled).toBe(4);
});
