import { describe, expect, it } from 'vitest';
import type { StreamDetector } from '../../../../src/detectors/finding.ts';
import { mask } from '../../../../src/detectors/mask.ts';
import type { JsonEdit } from '../../../../src/json/path.ts';
import { PASS_EVENT, type StreamAction, type StreamTail } from '../../../../src/pipeline/check.ts';
import type { StreamEvent, TextDelta } from '../../../../src/providers/dialect.ts';
import { wordDetector } from './stream-detectors.ts';
import { rewriterOf } from '../../../support/dlp-rewriter.ts';
import { chat, eventOf, send, textOf } from './stream-rig.ts';

const WORDS = 'Plain words and jane@example.com in them; ';
const valueOf = (edit: JsonEdit): string =>
  edit.kind === 'set' && typeof edit.value === 'string' ? edit.value : '';

const NEVER: StreamDetector = { find: () => [], openFrom: () => 0 };

/** A detector that records the longest search without a pause, in characters. */
function watched(): { detector: StreamDetector; mostInTurn: () => number; stop: () => void } {
  let inTurn = 0;
  let most = 0;
  let isOver = false;
  function next(): void {
    inTurn = 0;
    if (!isOver) setImmediate(next);
  }
  next();
  function count(text: string): string {
    inTurn += text.length;
    most = Math.max(most, inTurn);
    return text;
  }
  return {
    detector: {
      find: (text) => wordDetector.find(count(text)),
      openFrom: (text) => wordDetector.openFrom(count(text)),
    },
    mostInTurn: () => most,
    stop: () => {
      isOver = true;
    },
  };
}

describe('a stream of any size', () => {
  it('yields while a long text is searched', async () => {
    const text = WORDS.repeat(2_097_152 / WORDS.length);
    const { detector, mostInTurn, stop } = watched();
    const { frames } = await send([chat(text)], { detector });
    stop();
    expect(textOf(frames)).toBe(mask(text, wordDetector.find(text)));
    expect(mostInTurn()).toBeLessThan(100_000);
  }, 30_000);

  it('masks a long text that arrives whole, also in turns', async () => {
    const text = WORDS.repeat(5000);
    const { detector, mostInTurn, stop } = watched();
    const event = eventOf({ text, other: text }, [
      { channel: 'r', kind: 'text', text, path: ['text'], repeats: true },
    ]);
    const { frames } = await send([event], { detector });
    stop();
    expect(mostInTurn()).toBeLessThan(100_000);
    const expected = mask(text, wordDetector.find(text));
    expect(JSON.parse(frames.join(''))).toEqual({ text: expected, other: expected });
  });

  it('accepts a hundred thousand pieces of one character', async () => {
    const text = WORDS.repeat(2400).slice(0, 100_000);
    const rewriter = rewriterOf(wordDetector);
    const out: string[] = [];
    function leave(action: StreamAction | StreamTail, delta = ''): void {
      if ('kind' in action && action.kind === 'pass') out.push(delta);
      if ('edits' in action) for (const edit of action.edits ?? []) out.push(valueOf(edit));
      if ('before' in action) for (const { edits } of action.before ?? []) out.push(...edits.map(valueOf));
    }
    for (const character of text) {
      const action = rewriter.event?.(chat(character)) ?? PASS_EVENT;
      leave(action instanceof Promise ? await action : action, character);
    }
    leave((await rewriter.end?.()) ?? {});
    expect(out.join('')).toBe(mask(text, wordDetector.find(text)));
  }, 30_000);

  it('fails closed if a possible finding never ends', async () => {
    const events = Array.from({ length: 30_000 }, () => chat('aaaa'));
    await expect(send(events, { detector: NEVER })).rejects.toMatchObject({ type: 'upstream_unavailable' });
  });

  it('fails closed with ten thousand simultaneous texts, in one event or in many', async () => {
    const one = chat(Array.from({ length: 10_000 }, (_, index) => ({ text: 'a ', index })));
    await expect(send([one])).rejects.toMatchObject({ type: 'upstream_unavailable' });
    const many = Array.from({ length: 10_000 }, (_, index) => chat([{ text: 'a ', index }]));
    await expect(send(many)).rejects.toMatchObject({ type: 'upstream_unavailable' });
    await expect(send([{ ...one, ends: ['*'] }])).rejects.toMatchObject({ type: 'upstream_unavailable' });
    const few = many.slice(0, 500);
    expect((await send(few)).frames).toHaveLength(500);
  });

  it('accepts ten thousand texts that end one after the other, or thousands that end with their event', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) =>
      chat([{ text: 'a 1', index }], { ends: [`${index}/`] }),
    );
    expect((await send(many)).frames).toEqual(many.map(({ frame }) => frame.data));
    const one = chat(
      Array.from({ length: 5000 }, (_, index) => ({ text: `a jane@example.com`, index })),
      { ends: ['*'] },
    );
    const { frames } = await send([one]);
    expect(textOf(frames, 4999)).toBe('a ***');
  }, 30_000);

  it('searches an event of many values in turns', async () => {
    const values = Array.from({ length: 20_000 }, (_, index) => ({
      [`n${index % 90}`]: `${index}`,
      b: [index],
    }));
    const { detector, mostInTurn, stop } = watched();
    const { frames } = await send([eventOf({ values, last: 'jane@example.com' }, [])], { detector });
    stop();
    expect(frames[0]?.endsWith('"last":"***"}')).toBe(true);
    expect(mostInTurn()).toBeLessThan(100_000);
  }, 30_000);

  it('counts the held text of all channels together', async () => {
    const held = 'a'.repeat(65_000);
    const events = Array.from({ length: 120 }, (_, index): StreamEvent => {
      const delta: TextDelta = { channel: `${index}`, kind: 'text', text: held, path: ['text'] };
      return eventOf({ text: held }, [delta]);
    });
    await expect(send(events, { detector: NEVER })).rejects.toMatchObject({ type: 'upstream_unavailable' });
  });
});
