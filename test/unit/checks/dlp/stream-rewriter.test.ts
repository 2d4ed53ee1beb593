import { describe, expect, it } from 'vitest';
import { mask } from '../../../../src/detectors/mask.ts';
import type { StreamEvent, TextDelta } from '../../../../src/providers/dialect.ts';
import { together } from '../../../../src/providers/together.ts';
import { everyCut, randomPieces } from './cuts.ts';
import { wordDetector } from './stream-detectors.ts';
import { chat, chats, eventOf, send, textOf } from './stream-rig.ts';

const KEY = `key-${'abcdef'.repeat(2)}`;

const CLEAN = 'Plain words, 4111 of them, and half an address: jane@. <<BEGIN>> of nothing 😀.';
const PERSONAL = 'Write to jane@example.com or pay with 4111111111111111, joe@example.com.uk';

function interleaved<T>(one: readonly T[], two: readonly T[]): T[] {
  return Array.from({ length: Math.max(one.length, two.length) }, (_, place) => [one[place], two[place]])
    .flat()
    .filter((item) => item !== undefined);
}

describe('a stream without findings', () => {
  it('arrives completely, wherever its text is cut', async () => {
    for (const pieces of everyCut(CLEAN)) {
      const { frames, reasons, comment, classes } = await send(chats(pieces));
      expect(textOf(frames)).toBe(CLEAN);
      expect({ reasons, comment, classes }).toEqual({ reasons: [], comment: undefined, classes: [] });
    }
  });

  it('is sent byte for byte if each text can be sent at once', async () => {
    const events = ['Hello, ', 'my ', 'friend. ', ' {"😀" '].map((text) => chat(text, { counts: { a: 1 } }));
    const { steps } = await send(events);
    expect(steps).toEqual([...events.map(({ frame }) => [frame.data]), []]);
  });

  it('moves undecided text to the next event of its channel', async () => {
    const { frames } = await send(chats(['Hel', 'lo ', 'you', '!']));
    expect(frames.map((frame) => textOf([frame]))).toEqual(['Hello ', 'you!']);
  });

  it('passes all other members of its events', async () => {
    const events = [eventOf({ type: 'ping' }, []), eventOf('[DONE]', [], { done: true }), eventOf('', [])];
    const { steps } = await send(events);
    expect(steps).toEqual([['{"type":"ping"}'], ['[DONE]'], [''], []]);
  });
});

describe('a masked finding in a stream', () => {
  it('is masked as in the whole text, wherever it is cut', async () => {
    const expected = mask(PERSONAL, wordDetector.find(PERSONAL));
    for (const pieces of everyCut(PERSONAL)) {
      const { frames, cut } = await send(chats(pieces));
      expect(textOf(frames)).toBe(expected);
      expect(cut).toBeUndefined();
    }
    for (let seed = 0; seed < 50; seed += 1) {
      expect(textOf((await send(chats(randomPieces(PERSONAL, seed)))).frames)).toBe(expected);
    }
  });

  it('is reported once per rule, only by class and rule, and in a comment at the end', async () => {
    const text = 'jane@example.com, joe@example.com, 4111111111111111, 4111111111111111.';
    const { reasons, comment, classes } = await send(chats(randomPieces(text, 3)));
    expect(reasons).toEqual([
      'masked in the answer: email (address)',
      'masked in the answer: card (sixteen)',
    ]);
    expect(classes).toEqual(['email mask', 'card mask']);
    expect(comment).toBe('x-gateway-dlp-redacted=true');
  });

  it('is reported if the stream is cut after it, too', async () => {
    const { comment, frames, cut } = await send(chats(['jane@example.com ', 'and ', 'key-abcdefghijkl ']));
    expect(textOf(frames)).toBe('*** and ');
    expect(cut).toBeDefined();
    expect(comment).toBe('x-gateway-dlp-redacted=true');
  });

  it('is masked in each of two alternating texts', async () => {
    const other = 'Or 4111111111111111, jane@example.com, or nobody.';
    for (let seed = 0; seed < 30; seed += 1) {
      const one = randomPieces(PERSONAL, seed).map((text) => ({ text, index: 0 }));
      const two = randomPieces(other, seed + 100).map((text) => ({ text, index: 1 }));
      const events = interleaved(one, two).map((text) => chat([text]));
      const { frames } = await send(events);
      expect(textOf(frames, 0)).toBe(mask(PERSONAL, wordDetector.find(PERSONAL)));
      expect(textOf(frames, 1)).toBe(mask(other, wordDetector.find(other)));
    }
  });

  it('is masked if one event has many texts, also of one channel', async () => {
    const event = chat([
      { text: 'jane@exam' },
      { text: '4111', index: 1 },
      { text: 'ple.com, ' },
      { text: '111111111111 ', index: 1 },
      { text: 'jane@example.com ', member: 'reasoning' },
    ]);
    const { frames } = await send([event, chat('joe')]);
    expect(frames).toHaveLength(2);
    expect(textOf(frames, 0)).toBe('***, joe');
    expect(textOf(frames, 1)).toBe('*** ');
    expect(textOf(frames, 0, 'reasoning')).toBe('*** ');
  });

  it('is masked in arguments, which stay JSON', async () => {
    const json = '{"to":"\\u006aane@example.com","password": "x","card":4111111111111111}';
    for (const pieces of everyCut(json)) {
      const { frames } = await send(pieces.map((text) => chat([{ text, member: 'arguments' }])));
      expect(textOf(frames, 0, 'arguments')).toBe('{"to":"***","password": "***","card":"***"}');
    }
  });
});

describe('a text with a name', () => {
  const under = (kind: TextDelta['kind']): StreamEvent =>
    eventOf({ password: 'hunter2' }, [{ channel: 'a', kind, text: 'hunter2', path: ['password'] }]);

  it('is recognized by the name if it is an argument', async () => {
    expect((await send([under('tool_arguments')])).frames.join('')).toContain('***');
    expect((await send([under('text')])).frames.join('')).not.toContain('***');
  });
});

describe('a text that each event has twice', () => {
  it('is masked in both places', async () => {
    const reader = together.endpoint('POST', '/v1/chat/completions')?.dialect.stream();
    const events = randomPieces(PERSONAL, 5).map((text) => {
      const choice = { index: 0, text, delta: { role: 'assistant', content: text }, finish_reason: null };
      const data = JSON.stringify({ id: 'x', choices: [choice] });
      return reader?.read({ raw: Buffer.from(`data: ${data}\n\n`), data });
    });
    const { frames } = await send(events.filter((event) => event !== undefined));
    const expected = mask(PERSONAL, wordDetector.find(PERSONAL));
    expect(textOf(frames)).toBe(expected);
    const beside = frames.map((frame) => JSON.parse(frame) as { choices: { text?: string }[] });
    expect(beside.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe(expected);
  });
});

describe('a finding that must not pass', () => {
  it('cuts the stream before any of it was sent, wherever it is cut', async () => {
    const text = `jane@example.com has ${KEY}, and more.`;
    for (const pieces of [...everyCut(text), randomPieces(text, 1), [...text]]) {
      const { frames, cut, quarantined, classes } = await send(chats(pieces));
      expect('*** has '.startsWith(textOf(frames))).toBe(true);
      expect(cut?.type).toBe('dlp_quarantine');
      expect(quarantined).toEqual([`key ${KEY}`]);
      expect(classes).toContain('secret quarantine');
    }
  });

  it('cuts at the end, if only the end decides', async () => {
    const { cut, frames, quarantined } = await send(chats([`say ${KEY}`]));
    expect(cut?.type).toBe('dlp_quarantine');
    expect(textOf(frames)).toBe('say ');
    expect(quarantined).toEqual([`key ${KEY}`]);
  });

  it('cuts in arguments, named as they are read', async () => {
    const text = `{"k":"\\u006b${KEY.slice(1)}"}`;
    const { cut, quarantined } = await send([chat([{ text, member: 'arguments' }])]);
    expect(cut?.type).toBe('dlp_quarantine');
    expect(quarantined).toEqual([`key ${KEY}`]);
  });

  it('is masked if secrets are masked', async () => {
    const { frames, cut } = await send(chats([`say ${KEY} `]), { actionOf: () => 'mask' });
    expect(textOf(frames)).toBe('say *** ');
    expect(cut).toBeUndefined();
  });
});

describe('a signed text', () => {
  const thought = (text: string): StreamEvent =>
    eventOf({ type: 'delta', thinking: text }, [
      { channel: 't', kind: 'reasoning', text, path: ['thinking'], signed: true },
    ]);
  const signature = eventOf({ type: 'delta', signature: 'c2lnbmVk' }, [], { ends: ['t'] });

  it('is withheld from its first finding on, and reported', async () => {
    const { frames, reasons } = await send([
      thought('I see jane@'),
      thought('example.com, and '),
      thought('so on '),
      signature,
    ]);
    expect(frames.map((frame) => JSON.parse(frame) as unknown)).toEqual([
      { type: 'delta', thinking: 'I see ' },
      { type: 'delta', signature: 'c2lnbmVk' },
    ]);
    expect(reasons).toEqual(['masked in the answer: email (address)']);
  });

  it('cuts for a finding that must not pass, also after withheld text', async () => {
    const { cut } = await send([thought('jane@example.com '), thought(`and ${KEY} `)]);
    expect(cut?.type).toBe('dlp_quarantine');
  });
});
