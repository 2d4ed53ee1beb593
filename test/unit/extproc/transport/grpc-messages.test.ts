import { expect, it } from 'vitest';
import { messagePrefix, MessageReader } from '../../../../src/extproc/transport/grpc-messages.ts';

const MAX_BYTES = 1_000_000;

function reading() {
  const got: string[] = [];
  const reader: MessageReader = new MessageReader(MAX_BYTES, {
    message(bytes, from, to) {
      got.push(bytes.toString('latin1', from, to));
      if (got.at(-1) === 'pause') reader.pause();
      if (got.at(-1) === 'stop') reader.stop();
    },
    finished: () => got.push('END'),
    broken: (why) => got.push(`BROKEN ${why}`),
  });
  function push(text: string): void {
    reader.push(Buffer.from(text, 'latin1'), 0, text.length);
  }
  return { reader, got, push };
}

const message = (text: string): string => messagePrefix(text.length) + text;

it('messages arrive complete, wherever they are cut', () => {
  const texts = ['first', '', 'x'.repeat(300), 'last'];
  const all = texts.map(message).join('');
  for (let first = 0; first <= all.length; first++) {
    const { reader, got, push } = reading();
    const second = Math.min(all.length, first + (first % 7));
    push(all.slice(0, first));
    push(all.slice(first, second));
    push(all.slice(second));
    reader.end();
    expect(got, String(first)).toEqual([...texts, 'END']);
  }
});

it('a long message is joined from many pieces, and its buffer grows only with them', () => {
  const { reader, got, push } = reading();
  const text = 'abcdefgh'.repeat(100_000);
  const before = process.memoryUsage().arrayBuffers;
  push(messagePrefix(text.length) + text.slice(0, 10));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200_000);
  for (let at = 10; at < text.length; at += 16_000) push(text.slice(at, at + 16_000));
  reader.end();
  expect(got).toEqual([text, 'END']);
});

it('a paused reader delivers nothing, not even the end, and then continues', () => {
  const { reader, got, push } = reading();
  push(message('pause') + message('after') + message('pa').slice(0, 6));
  push('a');
  push(message('pause') + message('last'));
  reader.end();
  expect(got).toEqual(['pause']);
  reader.resume();
  expect(got).toEqual(['pause', 'after', 'pa', 'pause']);
  reader.resume();
  expect(got).toEqual(['pause', 'after', 'pa', 'pause', 'last', 'END']);
});

it.each([
  ['compressed', '\x01\0\0\0\x01x'],
  ['too long', messagePrefix(MAX_BYTES + 1)],
])('a message that is not accepted breaks the reader once: %s', (why, text) => {
  for (const pieces of [[text], [...text]]) {
    const { reader, got, push } = reading();
    push(message('good'));
    for (const piece of pieces) push(piece);
    push(message('late'));
    reader.end();
    expect(got).toEqual(['good', `BROKEN ${why}`]);
  }
});

it.each(['\0', '\0\0\0\0\x02', '\0\0\0\0\x02x'])('a truncated message is not delivered', (text) => {
  const { reader, got, push } = reading();
  push(text);
  reader.end();
  expect(got).toEqual(['BROKEN cut']);
});

it('a reader that is stopped within a message delivers no other', () => {
  const { reader, got, push } = reading();
  push(message('stop') + message('late'));
  reader.end();
  expect(got).toEqual(['stop']);
});
