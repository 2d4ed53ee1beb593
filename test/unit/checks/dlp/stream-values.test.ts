import { describe, expect, it } from 'vitest';
import type { StreamDetector } from '../../../../src/detectors/finding.ts';
import type { StreamEvent, TextDelta } from '../../../../src/providers/dialect.ts';
import { wordDetector } from './stream-detectors.ts';
import { chat, chats, eventOf, send, textOf } from './stream-rig.ts';

const KEY = `key-${'abcdef'.repeat(2)}`;

async function masked(payload: unknown, deltas: readonly TextDelta[] = []): Promise<unknown> {
  const { frames, cut } = await send([eventOf(payload, deltas)]);
  if (cut !== undefined) return 'cut';
  return JSON.parse(frames.join('')) as unknown;
}

/** Counts the characters that are searched. */
function counting(): { detector: StreamDetector; read: () => number } {
  let read = 0;
  function find(text: string) {
    read += text.length;
    return wordDetector.find(text);
  }
  return { detector: { ...wordDetector, find }, read: () => read };
}

describe('a member whose name is a finding', () => {
  const address = 'jane@example.com';

  it('is removed although its value is a finding too', async () => {
    const payload = { a: 1, [address]: '4111111111111111', b: { [address]: address } };
    expect(await masked(payload)).toEqual({ a: 1, b: {} });
  });

  it('is removed although a text under it is masked', async () => {
    const path = ['args', address];
    const text = 'to 4111111111111111 ';
    const delta: TextDelta = { channel: '0/tool/', kind: 'tool_arguments', text, path };
    expect(await masked({ a: 1, args: { [address]: text } }, [delta])).toEqual({ a: 1, args: {} });
  });
});

describe('a value that is spelled like an earlier one after its name', () => {
  const address = 'jane@example.com';
  /** Too long to be read before a value. */
  const name = 'n'.repeat(200);

  it.each([
    ['short', address, 'x'],
    ['long', 'note', `${address} ${'words '.repeat(3_000)}`],
  ])('is searched: %s', async (_size, before, value) => {
    const events = [{ [before]: value }, { [name]: `${before}": "${value}` }];
    const { frames } = await send(events.map((payload) => eventOf(payload, [])));
    const [, second = ''] = frames;
    expect(JSON.parse(second)).toEqual({ [name]: `${before}": "${value}`.replace(address, '***') });
  });
});

describe('a text that a stream repeats', () => {
  const again = (text: string, more: Partial<TextDelta> = {}): StreamEvent =>
    eventOf({ type: 'done', text }, [
      { channel: 'again/text', kind: 'text', text, path: ['text'], repeats: true, ...more },
    ]);

  it('is masked like its pieces', async () => {
    const text = 'to jane@example.com, 4111111111111111';
    const { frames, reasons } = await send([...chats([...text]), again(text), again(text)]);
    expect(textOf(frames)).toBe('to ***, ***');
    const done = frames.filter((frame) => frame.includes('done'));
    expect(done).toEqual(new Array(2).fill('{"type":"done","text":"to ***, ***"}'));
    expect(reasons).toHaveLength(2);
  });

  it('is masked like arguments', async () => {
    const text = '{"card":4111111111111111,"to":"\\u006aane@example.com"}';
    const { frames } = await send([again(text, { isJson: true })]);
    expect((JSON.parse(frames.join('')) as { text: string }).text).toBe('{"card":"***","to":"***"}');
  });

  it('is emptied if it is signed', async () => {
    const { frames } = await send([
      again('I see jane@example.com', { signed: true }),
      again('I see', { signed: true }),
    ]);
    expect(frames).toEqual(['{"type":"done","text":""}', '{"type":"done","text":"I see"}']);
  });

  it('cuts the stream', async () => {
    const { cut, quarantined } = await send([again(`say ${KEY}`)]);
    expect(cut?.type).toBe('dlp_quarantine');
    expect(quarantined).toEqual([`key ${KEY}`]);
  });

  it('is searched once, however often it appears, and reported once', async () => {
    const text = `${'many words, '.repeat(100)}jane@example.com`;
    const once = counting();
    const first = await send([again(text)], { detector: once.detector });
    const often = counting();
    const { frames, reasons } = await send([again(text), again(text), again(text), again(text)], {
      detector: often.detector,
    });
    expect(often.read()).toBe(once.read());
    expect(frames).toEqual(new Array(4).fill(first.frames[0]));
    expect(reasons).toHaveLength(1);
  });

  it('is not mistaken for another with equal words', async () => {
    const text = `see {"password":"${'x'.repeat(40)}", "more": "${'words '.repeat(50)}"}`;
    const escaped = text.replace('password', 'pass\\u0077ord');
    const { frames } = await send([again(escaped), again(escaped, { isJson: true })]);
    const [plain, read] = frames.map((frame) => (JSON.parse(frame) as { text: string }).text);
    expect(plain).toBe(escaped);
    expect(read).toBe(escaped.replace('x'.repeat(40), '***'));
  });
});

describe('a value outside of channels', () => {
  it('is masked in its place', async () => {
    expect(
      await masked({ error: { message: 'no user jane@example.com', list: ['x', ['joe@example.com']] } }),
    ).toEqual({
      error: { message: 'no user ***', list: ['x', ['***']] },
    });
  });

  it('is recognized by its name', async () => {
    expect(await masked({ password: 'hunter2', a: { password: ['one', 'two'] }, b: 'hunter2' })).toEqual({
      password: '***',
      a: { password: ['***', '***'] },
      b: 'hunter2',
    });
  });

  it('is masked if it is a number, also one too long for a double', async () => {
    const { frames } = await send([
      eventOf('{"a":4111111111111111,"b":[9111111111111111],"c":12,"d":1.5,"e":99999999999999999}', []),
    ]);
    expect(frames).toEqual(['{"a":"***","b":["***"],"c":12,"d":1.5,"e":99999999999999999}']);
  });

  it('is removed if it is a member name', async () => {
    expect(await masked({ 'jane@example.com': 1, a: { 'joe@example.com': { b: 2 }, c: 3 } })).toEqual({
      a: { c: 3 },
    });
  });

  it('cuts the stream', async () => {
    expect(await masked({ name: `mail ${KEY}` })).toBe('cut');
    expect(await masked({ [KEY]: 1 })).toBe('cut');
  });

  it('is left unchanged only if it is encrypted', async () => {
    const sealed = 'abcd'.repeat(200);
    const blind: StreamDetector = {
      find: (text) =>
        wordDetector
          .find(text.replaceAll(sealed, 'jane@example.com'))
          .map((finding) => ({ ...finding, end: text.length })),
      openFrom: (text) => text.length,
    };
    const payload = { signature: sealed, other: sealed, url: `data:image/png;base64,${sealed}` };
    const { frames } = await send([eventOf(payload, [])], { detector: blind });
    expect(JSON.parse(frames.join(''))).toEqual({
      ...payload,
      other: expect.stringContaining('***') as string,
    });
  });

  it('is searched once if it is in every event', async () => {
    const count = counting();
    const detector = { find: count.detector.find, openFrom: (text: string) => text.length };
    await send(chats(['a ']), { detector });
    const first = count.read();
    await send(chats(['a ', 'b ', 'c ']), { detector });
    expect(count.read() - first - first).toBeLessThan(100);
  });

  it('is searched even if the rest of the event is text', async () => {
    const path = ['a', 'text'];
    const delta: TextDelta = { channel: 'x', kind: 'text', text: 'hello ', path };
    expect(
      await masked({ a: { text: 'hello ', more: 'jane@example.com', list: [{ text: 'joe@example.com' }] } }, [
        delta,
      ]),
    ).toEqual({
      a: { text: 'hello ', more: '***', list: [{ text: '***' }] },
    });
  });

  it('is masked each time, even if it was a text before', async () => {
    const payload = { x: 'jane@example.com' };
    const delta: TextDelta = { channel: 'x', kind: 'text', text: payload.x, path: ['x'] };
    const event = eventOf(payload, []);
    const { frames } = await send([eventOf(payload, [delta], { ends: ['*'] }), event, event]);
    expect(frames).toEqual(new Array(3).fill('{"x":"***"}'));
  });

  it('is refused if it is nested too deeply', async () => {
    const deep = `{"a":${'['.repeat(300)}${']'.repeat(300)}}`;
    await expect(send([eventOf(deep, [])])).rejects.toMatchObject({ type: 'upstream_unavailable' });
  });
});

describe('an event that is not JSON', () => {
  it('passes without a finding', async () => {
    const events = [eventOf('PING', []), eventOf('not json [', []), chat('a ')];
    const { frames } = await send(events);
    expect(frames).toEqual(events.map(({ frame }) => frame.data));
  });

  it('is masked as a text', async () => {
    const { frames, reasons } = await send([
      eventOf('to jane@example.com ', []),
      eventOf('[{"content":"joe@example.com', []),
      chat('a '),
    ]);
    expect(frames.slice(0, 2)).toEqual(['to *** ', '[{"content":"***']);
    expect(reasons).toEqual(['masked in the answer: email (address)']);
  });

  it('cuts the stream with a finding that must not pass', async () => {
    const { cut, quarantined } = await send([eventOf(`say ${KEY} `, [])]);
    expect(cut?.type).toBe('dlp_quarantine');
    expect(new Set(quarantined)).toEqual(new Set([`key ${KEY}`]));
  });

  it('is read together with those before it, and is held until they are decided', async () => {
    const split = await send([eventOf('to jane@', []), eventOf('example.com ', [])]);
    expect(split.steps).toEqual([[], ['to ***', ' '], []]);
    const clean = await send([eventOf('to jane', []), eventOf(' and ', [])]);
    expect(clean.steps).toEqual([[], ['to jane', ' and '], []]);
  });

  it('is also searched separately', async () => {
    const { steps } = await send([eventOf('so-', []), eventOf('jane@example.com', []), chat('a ')]);
    expect(steps[2]?.slice(0, 2)).toEqual(['so-', '***']);
  });

  it('is held at most until the next JSON event, or the end', async () => {
    const { steps } = await send([eventOf('to jane', []), eventOf('{"a":1}', []), eventOf('last', [])]);
    expect(steps).toEqual([[], ['to jane', '{"a":1}'], [], ['last']]);
  });
});

describe('an event that is one string', () => {
  it('is masked as a whole text', async () => {
    const { frames } = await send([eventOf('"to jane@example.com"', []), eventOf('"to nobody"', [])]);
    expect(frames).toEqual(['"to ***"', '"to nobody"']);
    expect((await send([eventOf(JSON.stringify(`say ${KEY}`), [])])).cut?.type).toBe('dlp_quarantine');
  });

  it('releases held events if it is beside a payload', async () => {
    const beside = (text: string): StreamEvent => ({ ...eventOf(text, [], { sideband: true }), json: text });
    const { steps } = await send([
      eventOf('to jane', []),
      beside(': x'),
      beside(': jane@example.com'),
      eventOf(' ', []),
    ]);
    expect(steps.slice(0, 2)).toEqual([[], [': x']]);
    expect(steps[2]).not.toContain(': jane@example.com');
    expect(steps[3]).toEqual(['to jane', ' ']);
    expect((await send([beside(`: ${KEY}`)])).cut?.type).toBe('dlp_quarantine');
  });
});
