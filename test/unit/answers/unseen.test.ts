import { describe, expect, it } from 'vitest';
import { PASS_EVENT, type StreamRewriter } from '../../../src/pipeline/check.ts';
import { chunk, DONE, through, everyCut } from './stream-rig.ts';

/** Records all text that a rewriter receives. */
function witness(shown: string[]): StreamRewriter {
  function strings(value: unknown): void {
    if (typeof value === 'string') shown.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(strings);
  }
  return {
    event(event) {
      strings(event.json ?? event.frame.data);
      return PASS_EVENT;
    },
  };
}

/** Streams with text in unusual places, and the part of it that may reach the client. */
const HIDDEN = [
  ['a comment', `: SECRET\n\n${chunk('a')}`, chunk('a')],
  ['a comment in an event', `: SECRET\n${chunk('a')}`, chunk('a')],
  ['an id', `id: SECRET\n${chunk('a')}`, chunk('a')],
  ['an event name', `event: SECRET-1\n${chunk('a')}`, chunk('a')],
  ['an earlier event name', `event: SECRET 1\nevent: x\n${chunk('a')}`, `event: x\n${chunk('a')}`],
  ['an unknown field', `sekret: SECRET\n${chunk('a')}`, chunk('a')],
  ['a line without a colon', `SECRET\n\n${chunk('a')}`, chunk('a')],
  ['the rest of a stream', `${chunk('a')}SECRET`, chunk('a')],
  ['a payload that is not JSON', `data: SECRET\n\n${chunk('a')}`, chunk('a')],
  ['a payload that is one string', `data: "\\u0053ECRET"\n\n${chunk('a')}`, chunk('a')],
  ['a broken payload', `data: {"a":"SECRET\n\n${chunk('a')}`, chunk('a')],
] as const;

describe('a rewriter that judges text sees all text of a stream:', () => {
  it.each(HIDDEN)('%s', async (_, stream, left) => {
    const shown: string[] = [];
    const { out } = await everyCut(() => [witness(shown)], stream);
    expect(out).toBe(stream);
    expect(shown.join('\n')).toContain('SECRET');
    const dropping = (): StreamRewriter => ({
      event: ({ json, frame }) =>
        JSON.stringify([json ?? frame.data]).includes('SECRET') ? { kind: 'drop' } : PASS_EVENT,
    });
    expect((await everyCut(() => [dropping()], stream)).out).toBe(left);
  });

  const TWICE = [
    [
      'a repeated name',
      'data: {"choices":[{"delta":{"content":"SECRET","content":"clean"}}]}\n\n',
      'data: {"choices":[{"delta":{"content":"clean"}}]}\n\n',
    ],
    [
      'a name with escapes',
      'data: {"choices":[{"delta":{"c\\u006fntent":"SECRET","content":"clean"}}]}\n\n',
      'data: {"choices":[{"delta":{"content":"clean"}}]}\n\n',
    ],
  ] as const;

  it.each(TWICE)('%s is written once, in the form that was read', async (_, stream, plain) => {
    const shown: string[] = [];
    expect((await everyCut(() => [witness(shown)], stream)).out).toBe(plain);
    expect(shown).toContain('clean');
  });

  it('bytes that are not UTF-8 are sent as every reader decodes them', async () => {
    const bytes = Buffer.concat([
      Buffer.from('data: {"choices":[{"delta":{"content":"a'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('b"}}]}\n\n'),
    ]);
    const { out } = await through([{ event: () => PASS_EVENT }], [bytes]);
    expect(Buffer.from(out)).toEqual(Buffer.from('data: {"choices":[{"delta":{"content":"a��b"}}]}\n\n'));
  });

  it('and is unchanged without text', async () => {
    const blind: StreamRewriter = { readsText: false, event: () => PASS_EVENT };
    for (const [, stream] of [...HIDDEN, ...TWICE]) {
      expect((await everyCut(() => [blind], stream)).out).toBe(stream);
    }
  });

  it('text that is not JSON is rewritten as text', async () => {
    const masking: StreamRewriter = {
      event: ({ json, frame }) =>
        json === undefined && frame.data?.includes('SECRET') === true
          ? { kind: 'rewrite', edits: [{ kind: 'set', path: [], value: 'a ***\nb' }] }
          : PASS_EVENT,
    };
    const { out } = await everyCut(() => [masking], `id: 7\ndata: a SECRET\n\n${DONE}`);
    expect(out).toBe(`id: 7\ndata: a ***\ndata: b\n\n${DONE}`);
  });
});
