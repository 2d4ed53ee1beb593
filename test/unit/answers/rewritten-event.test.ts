import { describe, expect, it } from 'vitest';
import type { JsonEdit } from '../../../src/json/path.ts';
import { rewrittenEvent, rewrittenInTurns } from '../../../src/answers/rewritten-event.ts';
import type { StreamEvent, TextDelta } from '../../../src/providers/dialect.ts';
import { sse } from '../../../src/streams/sse.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

function eventOf(texts: readonly string[]): StreamEvent {
  const data = JSON.stringify(texts);
  const deltas = texts.map((text, at): TextDelta => ({
    kind: 'text',
    channel: String(at),
    text,
    path: [at],
  }));
  return { frame: { raw: Buffer.from(`data: ${data}\n\n`), data }, json: texts, deltas };
}

describe('an event that is rewritten', () => {
  it.each([3, 300])('has the texts of the last of %d edits', (count) => {
    const edits: JsonEdit[] = [
      { kind: 'set', path: [0], value: 'first' },
      { kind: 'set', path: [0], value: 'second' },
      { kind: 'set', path: [1], value: 'gone' },
      { kind: 'remove', path: [1] },
    ];
    const event = eventOf(Array.from({ length: count }, (_, at) => `text ${String(at)}`));
    const { deltas } = rewrittenEvent(sse, { event, edits });
    expect(deltas).toHaveLength(count - 1);
    expect(deltas.slice(0, 2).map(({ text }) => text)).toEqual(['second', 'text 2']);
    // Its path after the removal of the one before.
    expect(deltas.map(({ path }) => path[0])).toEqual(Array.from({ length: count - 1 }, (_, at) => at));
  });

  it('is the same when it is rewritten in steps', async () => {
    const event = eventOf(Array.from({ length: 20_000 }, () => 'a'));
    const edits: JsonEdit[] = [0, 1, 2, 3].map((at) => ({ kind: 'set', path: [at], value: 'b' }));
    const inTurns = await rewrittenInTurns(sse, { event, edits });
    expect(inTurns.deltas[3]?.text).toBe('b');
    expect(inTurns).toEqual(rewrittenEvent(sse, { event, edits }));
  });

  it('takes time linear in texts plus edits', () => {
    const event = eventOf(Array.from({ length: 20_000 }, () => 'a'));
    const edits = event.deltas.map(({ path }): JsonEdit => ({ kind: 'set', path, value: 'b' }));
    expect(quickestCpuMs(() => rewrittenEvent(sse, { event, edits }))).toBeLessThan(100);
  });
});
