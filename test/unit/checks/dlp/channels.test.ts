import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../../../src/providers/dialect.ts';
import { chat, eventOf, send, textOf } from './stream-rig.ts';

describe('a channel that ends', () => {
  it('releases its held text with its own last text', async () => {
    const ending = chat('ple.com', { ends: ['0/content'] });
    const { steps } = await send([chat('jane@exam'), ending, chat(' x ')]);
    expect(steps.map((frames) => textOf(frames))).toEqual(['', '***', ' x ', '']);
  });

  it.each([[['0/content']], [['0/']], [['*']], [['1/content', '0/content', '2/']]])(
    'releases it before the event that ends it: %j',
    async (ends) => {
      const end = eventOf({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, [], {
        ends,
      });
      const { steps } = await send([chat('say jane@example.com'), end]);
      expect(steps[1]?.map((frame) => textOf([frame]))).toEqual(['***', '']);
      expect(steps[1]?.[1]).toBe(end.frame.data);
      expect(steps[2]).toEqual([]);
    },
  );

  it('is not ended by members that do not end texts, such as those that servers repeat with every chunk', async () => {
    const { steps } = await send([chat('half'), chat([], { done: true }), chat([], { failed: true })]);
    expect(steps.map((frames) => textOf(frames))).toEqual(['', '', '', 'half']);
  });

  it('is not ended by the end of others', async () => {
    const { steps } = await send([
      chat('half'),
      eventOf({ a: 1 }, [], { ends: ['0/con', '0/content/', '1/'] }),
    ]);
    expect(steps[1]).toEqual(['{"a":1}']);
    expect(textOf(steps[2] ?? [])).toBe('half');
  });

  it('repeats no usage if its last event is sent again', async () => {
    const event = chat(
      [{ text: 'one jane@example.com' }, { text: 'two ', index: 1 }, { text: 'three', member: 'reasoning' }],
      { counts: { prompt_tokens: 5 } },
    );
    const { steps } = await send([event]);
    const [first = ''] = steps[1] ?? [];
    expect(JSON.parse(first)).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'model-1',
      choices: [
        { index: 0, delta: { content: '***' }, finish_reason: null },
        { index: 0, delta: { reasoning: 'three' }, finish_reason: null },
      ],
    });
    expect(steps[1]).toHaveLength(1);
  });

  it("sends a tool call's role, name, id and usage once", async () => {
    const payload = {
      type: 'chunk',
      tokens: 3,
      done: true,
      citations: [1],
      choices: [
        {
          index: 1,
          finish_reason: 'tool_calls',
          delta: {
            role: 'assistant',
            tool_calls: [
              {
                index: 2,
                id: 'call_1',
                type: 'function',
                function: { name: 'mail', arguments: '{"to":"jane' },
              },
            ],
          },
        },
      ],
    };
    const path = ['choices', 0, 'delta', 'tool_calls', 0, 'function', 'arguments'];
    const event = eventOf(payload, [
      { channel: 'c', kind: 'tool_arguments', text: '{"to":"jane', path, isJson: true },
    ]);
    const { steps } = await send([event]);
    expect(steps[1]?.map((frame) => JSON.parse(frame) as unknown)).toEqual([
      {
        type: 'chunk',
        citations: [],
        choices: [
          {
            index: 1,
            finish_reason: null,
            delta: {
              tool_calls: [{ index: 2, type: 'function', function: { arguments: 'jane' } }],
            },
          },
        ],
      },
    ]);
  });

  it('holds back an event that starts an item until its text is decided', async () => {
    const payload = { type: 'content_block_start', content_block: { type: 'text', text: 'for jane' } };
    const path = ['content_block', 'text'];
    const start = eventOf(payload, [{ channel: 'b', kind: 'text', text: 'for jane', path }]);
    const next = (text: string): StreamEvent =>
      eventOf({ type: 'content_block_delta', text }, [{ channel: 'b', kind: 'text', text, path: ['text'] }]);
    const { steps } = await send([start, next('@exam'), next('ple.com, joe')]);
    expect(steps.map((frames) => frames.map((frame) => JSON.parse(frame) as unknown))).toEqual([
      [],
      [],
      [
        { type: 'content_block_start', content_block: { type: 'text', text: 'for ***' } },
        { type: 'content_block_delta', text: ', ' },
      ],
      [{ type: 'content_block_delta', text: 'joe' }],
    ]);
  });

  it('holds back a long event instead of sending a copy', async () => {
    const long = chat(`${'words and '.repeat(2000)}jane`);
    const { steps } = await send([long, chat('@'), chat(' you')]);
    expect(steps[0]).toEqual([]);
    expect(steps[2]?.[0]).toBe(long.frame.data);
  });

  it('may still continue', async () => {
    const { frames } = await send([
      chat('jane@exam', { ends: ['0/content'] }),
      chat('ple.com, '),
      chat('joe@example.com'),
    ]);
    expect(textOf(frames)).toBe('jane@exam***, ***');
  });

  it('is a separate text if it begins and ends with each event', async () => {
    const whole = (text: string): StreamEvent => chat([{ text }], { ends: ['*'] });
    const { steps } = await send([
      whole('so-'),
      whole('jane@example.com'),
      whole('joe@exam'),
      whole('ple.com'),
    ]);
    expect(steps.map((frames) => textOf(frames))).toEqual(['so-', '***', 'joe@exam', 'ple.com', '']);
    const two = chat([{ text: 'jane@' }, { text: 'example.com' }], { ends: ['*'] });
    expect(textOf((await send([whole('so-'), two])).frames)).toBe('so-***');
  });
});
