import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import {
  PASS_EVENT,
  type Denial,
  type RewrittenFrame,
  type StreamRewriter,
} from '../../../src/pipeline/check.ts';
import type { StreamEvent } from '../../../src/providers/dialect.ts';
import {
  chunk,
  USAGE,
  DONE,
  STREAM,
  DENIAL,
  CUT_FRAME,
  through,
  everyCut,
  changing,
  textOf,
  upper,
  copy,
  cutting,
} from './stream-rig.ts';

interface ActionRow {
  readonly name: string;
  readonly rewriters: () => StreamRewriter[];
  readonly out: string;
  readonly cut?: Denial;
}

function holding(): StreamRewriter {
  const held: RewrittenFrame[] = [];
  return {
    event(event) {
      if (event.deltas.length > 0) {
        held.push({ event, edits: [] });
        return { kind: 'rewrite', held: true };
      }
      return { kind: 'rewrite', before: held.splice(0) };
    },
  };
}

/** Replaces each text by the one before. */
function delaying(tailOnly = false): StreamRewriter {
  let last: StreamEvent | undefined;
  return {
    event(event) {
      if (textOf(event) === '') return PASS_EVENT;
      const before = last === undefined || tailOnly ? [] : [copy(last, `(${textOf(last)})`)];
      last = event;
      return { kind: 'rewrite', before };
    },
    end: () => (last === undefined ? undefined : { before: [copy(last, '(end)')] }),
    comment: () => 'bye',
  };
}

const H = ': hello\n\n';
const ACTIONS: readonly ActionRow[] = [
  { name: 'pass', rewriters: () => [{ event: () => PASS_EVENT }], out: STREAM },
  {
    name: 'a rewrite that changes nothing',
    rewriters: () => [{ event: () => ({ kind: 'rewrite', reason: 'seen' }) }],
    out: STREAM,
  },
  {
    name: 'drop',
    rewriters: () => [{ event: ({ usageOnly }) => (usageOnly === true ? { kind: 'drop' } : PASS_EVENT) }],
    out: H + chunk('Hel') + chunk('lo') + DONE,
  },
  { name: 'edits', rewriters: () => [upper()], out: H + chunk('HEL') + chunk('LO') + USAGE + DONE },
  {
    name: 'edits that remove members',
    rewriters: () => [
      {
        event: ({ deltas }) => ({
          kind: 'rewrite',
          edits: deltas.length === 0 ? [] : [{ kind: 'remove', path: ['big'] }],
        }),
      },
    ],
    out: STREAM.replaceAll('"big":12345678901234567890,', ''),
  },
  {
    name: 'edits after edits: each rewriter sees the result of the one before',
    rewriters: () => [upper(), changing((text) => `${text}!`)],
    out: H + chunk('HEL!') + chunk('LO!') + USAGE + DONE,
  },
  { name: 'frames that are held and released', rewriters: () => [holding()], out: STREAM },
  {
    name: 'frames that are held, released and passed to the next rewriter',
    rewriters: () => [upper(), holding(), changing((text) => `${text}!`)],
    out: H + chunk('HEL!') + chunk('LO!') + USAGE + DONE,
  },
  {
    name: 'a held frame that is never released',
    rewriters: () => [
      { event: (event) => (textOf(event) === 'lo' ? { kind: 'rewrite', held: true } : PASS_EVENT) },
    ],
    out: H + chunk('Hel') + USAGE + DONE,
  },
  {
    name: 'copies before an event, and after the last one',
    rewriters: () => [delaying()],
    out: `${H}${chunk('Hel')}${chunk('(Hel)')}${chunk('lo')}${USAGE}${DONE}${chunk('(end)')}\n: bye\n\n`,
  },
  {
    name: 'copies that the next rewriter sees',
    rewriters: () => [delaying(), upper()],
    out: `${H}${chunk('HEL')}${chunk('(HEL)')}${chunk('LO')}${USAGE}${DONE}${chunk('(END)')}\n: bye\n\n`,
  },
  {
    name: 'two comments at the end, in order',
    rewriters: () => [
      { event: () => PASS_EVENT, comment: () => 'one' },
      { event: () => PASS_EVENT, comment: () => undefined },
      { event: () => PASS_EVENT, comment: () => Promise.resolve('two\nlines') },
    ],
    out: `${STREAM}\n: one\n\n\n: two lines\n\n`,
  },
  {
    name: 'a cut, after which only comments follow',
    rewriters: () => [
      cutting((event) => textOf(event) === 'lo'),
      {
        event: (event) => (textOf(event) === 'Hel' ? PASS_EVENT : { kind: 'drop' }),
        end: () => ({ before: [] }),
        comment: () => 'one',
      },
      { event: () => PASS_EVENT, comment: () => Promise.resolve('two') },
    ],
    out: `${chunk('Hel')}${CUT_FRAME}\n: one\n\n\n: two\n\n`,
    cut: DENIAL,
  },
  {
    name: 'a slow cut',
    rewriters: () => [
      {
        event: (event) =>
          Promise.resolve(textOf(event) === 'lo' ? { kind: 'cut', denial: DENIAL } : PASS_EVENT),
      },
    ],
    out: H + chunk('Hel') + CUT_FRAME,
    cut: DENIAL,
  },
  {
    name: 'a cut by the second rewriter in frames that the first released',
    rewriters: () => [holding(), cutting((event) => textOf(event) === 'lo')],
    out: H + chunk('Hel') + CUT_FRAME,
    cut: DENIAL,
  },
  {
    name: 'a cut at the end, with the comments of all rewriters',
    rewriters: () => [
      { event: () => PASS_EVENT, comment: () => 'one' },
      { event: () => PASS_EVENT, end: () => ({ cut: DENIAL }), comment: () => 'two' },
      { event: () => PASS_EVENT, comment: () => 'three' },
    ],
    out: `${STREAM}${CUT_FRAME}\n: one\n\n\n: two\n\n\n: three\n\n`,
    cut: DENIAL,
  },
  {
    name: 'a cut with the facts that its headers would have had, and no more',
    rewriters: () => [
      cutting((event) => textOf(event) === 'lo', {
        ...DENIAL,
        headers: { 'x-gateway-dlp-block': 'true', 'retry-after': '5', 'x-gateway-block-reason': 'a b' },
      }),
      { event: () => PASS_EVENT, comment: () => 'one' },
    ],
    out: `${H}${chunk('Hel')}${CUT_FRAME}\n: x-gateway-dlp-block=true\n\n\n: one\n\n`,
    cut: expect.objectContaining(DENIAL) as Denial,
  },
];

describe('rewriters of a stream', () => {
  it.each(ACTIONS)('$name', async ({ rewriters, out, cut }) => {
    const seen = await everyCut(rewriters, STREAM);
    expect(seen).toMatchObject({ out, cut });
    if (cut === undefined) expect(seen.answer.usage).toMatchObject({ inputTokens: 3 });
  });

  it('see only the text of copies, without an end, usage or end marker', async () => {
    const seen: StreamEvent[] = [];
    const copying: StreamRewriter = {
      event: (event) => ({ kind: 'rewrite', before: [copy(event, 'x')] }),
    };
    const bytes = Buffer.from(
      'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\n',
    );
    await through([copying, { event: (event) => (seen.push(event), PASS_EVENT) }], [bytes]);
    expect(seen.map(({ ends, usage }) => ({ ends, usage: usage?.inputTokens }))).toEqual([
      { ends: undefined, usage: undefined },
      { ends: ['0/'], usage: 1 },
    ]);
    expect(seen[0]?.json).toMatchObject({ choices: [{ delta: { content: 'x' } }] });
  });

  const failAt = (place: 'event' | 'later' | 'end', cause: Error): StreamRewriter => ({
    event(event) {
      if (place === 'event' && textOf(event) === 'lo') throw cause;
      return place === 'later' && textOf(event) === 'lo' ? Promise.reject(cause) : PASS_EVENT;
    },
    end: () => (place === 'end' ? Promise.reject(cause) : undefined),
  });

  it.each(['event', 'later', 'end'] as const)(
    'that fail (%s) end a stream with an error after the inspected part',
    async (place) => {
      const cause = new Error('a secret of ours');
      const seen = await through([failAt(place, cause)], [Buffer.from(STREAM)]);
      expect(seen.cut).toMatchObject({ type: 'gateway_unavailable' });
      expect(seen.failure).toBe(cause);
      expect(seen.out).toMatch(
        /"type":"gateway_unavailable"\}\n\ndata: .*"finish_reason":"content_filter"\}\],"type":"gateway_unavailable"\}\n\n$/,
      );
      expect(seen.out).not.toContain('a secret');
      expect(seen.out).toContain('"content":"Hel"');
      expect(seen.out.includes('"content":"lo"')).toBe(place === 'end');
    },
  );

  it('that refuse unreadable text end a stream with their refusal, which is not a failure', async () => {
    const cause = new GatewayError('upstream_unavailable', 'too long');
    for (const place of ['event', 'later', 'end'] as const) {
      const seen = await through([failAt(place, cause)], [Buffer.from(STREAM)]);
      expect(seen.cut).toEqual({ kind: 'deny', type: 'upstream_unavailable', message: 'too long' });
      expect(seen.failure).toBeUndefined();
    }
  });

  it('whose comment fails break the connection, because the cost is not known', async () => {
    const failing: StreamRewriter = {
      event: () => PASS_EVENT,
      comment: () => Promise.reject(new Error('broken')),
    };
    await expect(through([failing], [Buffer.from(STREAM)])).rejects.toThrow('broken');
  });
});
