import { describe, expect, it } from 'vitest';
import type { JsonEdit } from '../../../../src/json/path.ts';
import type { StreamEvent, TextDelta, TokenText } from '../../../../src/providers/dialect.ts';
import { randomPieces } from './cuts.ts';
import { chat, chatWithTokens, eventOf, send, textOf } from './stream-rig.ts';

const KEY = `key-${'abcdef'.repeat(2)}`;

/** Text and tokens of each frame. */
function shown(frames: readonly string[]): [string, ...string[]][] {
  return frames.map((frame) => {
    const { choices } = JSON.parse(frame) as {
      choices: { logprobs?: { content: { token: string; bytes: unknown }[] } }[];
    };
    const tokens = choices[0]?.logprobs?.content ?? [];
    return [textOf([frame]), ...tokens.map(({ token, bytes }) => (bytes === null ? `${token}!` : token))];
  });
}

describe('tokens with their probabilities', () => {
  it('are sent with their text, byte for byte, in a stream without findings', async () => {
    const text = 'Plain words, 4111 of them, and half an address: jane@. <<BEGIN>> of nothing.';
    for (let seed = 0; seed < 30; seed += 1) {
      const events = randomPieces(text, seed).map((piece) => chatWithTokens(piece));
      const { frames, reasons } = await send(events);
      expect(frames).toEqual(events.map(({ frame }) => frame.data));
      expect(reasons).toEqual([]);
    }
  });

  it('wait until their text is decided, and delay later events', async () => {
    const events = [
      chatWithTokens('Hi '),
      chatWithTokens('jane'),
      chat([{ text: 'other ', index: 1 }]),
      chatWithTokens('@'),
      chatWithTokens(' home'),
      chatWithTokens('.'),
      eventOf('[DONE]', [], { ends: ['*'] }),
    ];
    const { steps } = await send(events);
    const data = events.map(({ frame }) => frame.data);
    expect(steps).toEqual([[data[0]], [], [], [], data.slice(1, 4), [], data.slice(4), []]);
  });

  it('are blanked from the first mask on', async () => {
    const { frames, reasons } = await send(
      ['to ', 'jane', '@exam', 'ple.com', ', ', 'yes ', '.'].map((text) => chatWithTokens(text)),
    );
    expect(shown(frames)).toEqual([
      ['to ', 'to '],
      ['***', '***!'],
      ['', '***!'],
      ['', '***!'],
      [', ', '***!'],
      ['yes ', '***!'],
      ['.', '***!'],
    ]);
    expect(reasons).toEqual(['masked in the answer: email (address)']);
  });

  it('are all blanked if an event has several', async () => {
    const { frames } = await send([
      chatWithTokens('to jane@example.com, yes ', ['to ', '', 'ja', '', 'ne@example.com, ', 'yes ', '']),
    ]);
    expect(shown(frames)).toEqual([['to ***, yes ', ...new Array<string>(7).fill('***!')]]);
  });

  it('are all blanked if they do not spell a masked text', async () => {
    const { frames } = await send([
      chatWithTokens('to jane@example.com ', ['TO', 'JANE']),
      chatWithTokens('you ', ['YOU ']),
    ]);
    expect(shown(frames)).toEqual([
      ['to *** ', '***!', '***!'],
      ['you ', '***!'],
    ]);
  });

  it('are searched themselves if they do not spell their text', async () => {
    const { frames } = await send([
      chatWithTokens('a ', ['x jane@', 'example']),
      chatWithTokens('b ', ['.com', ' y ']),
      chatWithTokens('c '),
    ]);
    expect(shown(frames)).toEqual([
      ['a ', '***!', '***!'],
      ['b ', '***!', '***!'],
      ['c ', '***!'],
    ]);
  });

  it('are searched themselves if their event has no text', async () => {
    const { frames, cut } = await send([
      chatWithTokens('a '),
      chatWithTokens('', [KEY.slice(0, 5)]),
      chatWithTokens('', [KEY.slice(5), ' ']),
    ]);
    expect(shown(frames)).toEqual([['a ', 'a ']]);
    expect(cut?.type).toBe('dlp_quarantine');
  });

  it('are complete at the end of their channel', async () => {
    const end = eventOf({ id: 'x', choices: [] }, [], { ends: ['0/content'] });
    const { steps } = await send([chatWithTokens('a ', ['b']), end]);
    expect(steps[0]).toEqual([]);
    expect(steps[1]).toHaveLength(2);
  });

  it('are blanked in a text that arrives whole', async () => {
    const tokensOf = (texts: readonly string[]): TokenText[] =>
      texts.map((text, place) => ({
        channel: 'again',
        text,
        blank: [{ kind: 'set', path: ['logprobs', place], value: '***' } satisfies JsonEdit],
      }));
    function whole(text: string, spelled: readonly string[]): StreamEvent {
      const delta: TextDelta = { channel: 'again', kind: 'text', text, path: ['text'], repeats: true };
      return eventOf({ text, logprobs: spelled }, [delta], { tokens: tokensOf(spelled) });
    }
    const { frames } = await send([
      whole('to jane@example.com!', ['to', ' jane', '@example.com', '!']),
      whole('to jane@example.com!', ['TO', 'JANE']),
      whole('to nobody', ['to', ' jane@example.com ']),
      whole('to nobody', ['to', ' nobody']),
    ]);
    expect(frames.map((frame) => JSON.parse(frame) as unknown)).toEqual([
      { text: 'to ***!', logprobs: ['***', '***', '***', '***'] },
      { text: 'to ***!', logprobs: ['***', '***'] },
      { text: 'to nobody', logprobs: ['***', '***'] },
      { text: 'to nobody', logprobs: ['***', '***'] },
    ]);
  });

  it('fail closed if too many wait', async () => {
    const open = '<<BEGIN>>';
    const events = [open, ...new Array<string>(5000).fill('')].map((text) =>
      chatWithTokens(text, [text === '' ? ' ' : text]),
    );
    await expect(send(events, { detector: { find: () => [], openFrom: () => 0 } })).rejects.toMatchObject({
      type: 'upstream_unavailable',
    });
    const wide = [open, 'a', 'a', 'a'].map((text) => ({
      ...chatWithTokens(text),
      frame: { raw: Buffer.alloc(3_000_000), data: chatWithTokens(text).frame.data ?? '' },
    }));
    await expect(send(wide, { detector: { find: () => [], openFrom: () => 0 } })).rejects.toMatchObject({
      type: 'upstream_unavailable',
    });
  });
});
