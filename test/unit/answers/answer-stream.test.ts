import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { createAnswerStream } from '../../../src/answers/answer-stream.ts';
import { PASS_EVENT } from '../../../src/pipeline/check.ts';
import type { Denial, RewrittenFrame, StreamRewriter } from '../../../src/pipeline/check.ts';
import type { Answer } from '../../../src/pipeline/exchange.ts';
import { createWrittenText } from '../../../src/answers/written-text.ts';
import { createAnyJsonReader } from '../../../src/providers/dialects/any-json.ts';
import { openai } from '../../../src/providers/openai.ts';
import type { StreamEvent } from '../../../src/providers/provider.ts';
import { sse } from '../../../src/streams/sse.ts';

function chunk(content: string, extra = ''): string {
  return `data: {"id":"c","big":12345678901234567890,"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]${extra}}\n\n`;
}

const USAGE = 'data: {"id":"c","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n';
const DONE = 'data: [DONE]\n\n';
const STREAM = `: hello\n\n${chunk('Hel')}${chunk('lo')}${USAGE}${DONE}`;
const DENIAL: Denial = { kind: 'deny', type: 'dlp_quarantine', message: 'no' };
const CUT_FRAME = `data: ${JSON.stringify({
  error: { message: 'no', type: 'dlp_quarantine', param: null, code: '403' },
  type: 'dlp_quarantine',
})}\n\n`;

interface Seen {
  readonly out: string;
  readonly answer: Answer;
  readonly cut: Denial | undefined;
  /** What was thrown on the way. */
  readonly failure?: unknown;
}

function newAnswer(): Answer {
  return {
    whole: undefined,
    facts: undefined,
    usage: undefined,
    written: createWrittenText(),
    complete: false,
  };
}

async function through(
  rewriters: StreamRewriter[],
  pieces: readonly Buffer[],
  stripComments = false,
): Promise<Seen> {
  const answer = newAnswer();
  const stream = createAnswerStream({
    answer,
    format: sse,
    reader: openai.endpoint('POST', '/v1/chat/completions')?.dialect.stream() ?? createAnyJsonReader(),
    rewriters,
    stripComments,
  });
  const out: Buffer[] = [];
  let failure: unknown;
  for (const piece of pieces) {
    const emission = await stream.push(piece);
    out.push(emission.bytes);
    failure ??= emission.failure;
  }
  const last = await stream.end();
  failure ??= last.failure;
  return {
    out: Buffer.concat([...out, last.bytes]).toString(),
    answer,
    cut: last.cut,
    ...(failure !== undefined && { failure }),
  };
}

/** What comes out, which must be the same for every place where the bytes can be cut in two. */
async function everyCut(createRewriters: () => StreamRewriter[], stream: string): Promise<Seen> {
  const bytes = Buffer.from(stream);
  const whole = await through(createRewriters(), [bytes]);
  for (let at = 0; at <= bytes.length; at += 1) {
    const { out, cut } = await through(createRewriters(), [bytes.subarray(0, at), bytes.subarray(at)]);
    expect({ at, out, cut }).toEqual({ at, out: whole.out, cut: whole.cut });
  }
  return whole;
}

function changing(change: (text: string) => string): StreamRewriter {
  return {
    event: ({ deltas }) => ({
      kind: 'rewrite',
      edits: deltas.map(({ path, text }) => ({ kind: 'set', path, value: change(text) })),
    }),
  };
}

const textOf = (event: StreamEvent): string => event.deltas.map(({ text }) => text).join('');
const upper = (): StreamRewriter => changing((text) => text.toUpperCase());

/** Another frame of an event's, with other text. */
function copy(event: StreamEvent, value: string): RewrittenFrame {
  const edits = event.deltas.map(({ path }) => ({ kind: 'set', path, value }) as const);
  return { event, edits, copy: true };
}

describe('a streamed answer', () => {
  it('goes out byte for byte and is accounted, wherever it is cut', async () => {
    const bytes = Buffer.from(STREAM);
    for (let at = 0; at <= bytes.length; at++) {
      const { out, answer } = await through([], [bytes.subarray(0, at), bytes.subarray(at)]);
      expect(out).toBe(STREAM);
      expect(answer.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
      expect(answer.written.text).toBe('Hello');
      expect(answer.complete).toBe(true);
    }
  });

  it('is refused where a frame nests so deep that parsing it would hold up everybody', async () => {
    const deep = Buffer.from(`data: ${'['.repeat(100_000)}\n\n`);
    expect((await through([], [deep])).cut).toMatchObject({ type: 'upstream_unavailable' });
    const wide = Buffer.from(`data: {"choices":[],"x":[${'[],'.repeat(50_000)}1]}\n\n`);
    expect((await through([], [wide])).out).toBe(wide.toString());
  });

  it('has no comment of ours where they are stripped, nor where it is cut', async () => {
    const telling: StreamRewriter = { event: () => PASS_EVENT, comment: () => 'cost=1' };
    const denial: Denial = { ...DENIAL, headers: { 'x-gateway-dlp-block': 'true' } };
    for (const [rewriters, out] of [
      [[telling], STREAM],
      [
        [cutting((event) => textOf(event) === 'lo', denial), telling],
        `: hello\n\n${chunk('Hel')}${CUT_FRAME}`,
      ],
    ] as const) {
      expect((await through([...rewriters], [Buffer.from(STREAM)], true)).out).toBe(out);
    }
  });

  it('is not complete without its end marker', async () => {
    const { answer } = await through([], [Buffer.from(chunk('Hel'))]);
    expect(answer.complete).toBe(false);
  });

  it('is no longer complete where another candidate begins after the first has ended', async () => {
    const { answer } = await through([], [Buffer.from(STREAM + chunk('More'))]);
    expect(answer.complete).toBe(false);
  });

  it('goes out at once where no rewriter waits, and in order where one does', async () => {
    const reader = openai.endpoint('POST', '/v1/chat/completions')?.dialect.stream();
    if (reader === undefined) throw new Error('chat does not stream');
    const parts = { answer: newAnswer(), format: sse, reader };
    const quick = createAnswerStream({ ...parts, rewriters: [upper()] });
    expect(quick.push(Buffer.from(chunk('a')))).not.toBeInstanceOf(Promise);
    let turn = 0;
    const slow: StreamRewriter = {
      event: () => {
        const wait = (turn += 1) % 2 === 0 ? Promise.resolve() : undefined;
        return wait === undefined ? PASS_EVENT : wait.then(() => PASS_EVENT);
      },
    };
    const waiting = createAnswerStream({ ...parts, rewriters: [slow, changing((text) => `${text}!`)] }).push(
      Buffer.from(chunk('a') + chunk('b') + chunk('c')),
    );
    expect(waiting).toBeInstanceOf(Promise);
    expect((await waiting).bytes.toString()).toBe(chunk('a!') + chunk('b!') + chunk('c!'));
  });
});

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

/** Says with each text what the one before would have said. */
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

const cutting = (when: (event: StreamEvent) => boolean, denial: Denial = DENIAL): StreamRewriter => ({
  event: (event) => (when(event) ? { kind: 'cut', denial } : PASS_EVENT),
});

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
    name: 'edits that take members out',
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
    name: 'edits on edits: each sees what the one before let through',
    rewriters: () => [upper(), changing((text) => `${text}!`)],
    out: H + chunk('HEL!') + chunk('LO!') + USAGE + DONE,
  },
  { name: 'frames that are held and given back', rewriters: () => [holding()], out: STREAM },
  {
    name: 'frames that are held and given back, on their way to the next',
    rewriters: () => [upper(), holding(), changing((text) => `${text}!`)],
    out: H + chunk('HEL!') + chunk('LO!') + USAGE + DONE,
  },
  {
    name: 'a held frame that is never given back',
    rewriters: () => [
      { event: (event) => (textOf(event) === 'lo' ? { kind: 'rewrite', held: true } : PASS_EVENT) },
    ],
    out: H + chunk('Hel') + USAGE + DONE,
  },
  {
    name: 'copies before an event, and after the last',
    rewriters: () => [delaying()],
    out: `${H}${chunk('Hel')}${chunk('(Hel)')}${chunk('lo')}${USAGE}${DONE}${chunk('(end)')}\n: bye\n\n`,
  },
  {
    name: 'copies on their way to the next',
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
    name: 'a cut, after which nothing comes but comments',
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
    name: 'a cut that takes its time',
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
    name: 'a cut by the second, of what the first gave back',
    rewriters: () => [holding(), cutting((event) => textOf(event) === 'lo')],
    out: H + chunk('Hel') + CUT_FRAME,
    cut: DENIAL,
  },
  {
    name: 'a cut at the end, with the comments of all',
    rewriters: () => [
      { event: () => PASS_EVENT, comment: () => 'one' },
      { event: () => PASS_EVENT, end: () => ({ cut: DENIAL }), comment: () => 'two' },
      { event: () => PASS_EVENT, comment: () => 'three' },
    ],
    out: `${STREAM}${CUT_FRAME}\n: one\n\n\n: two\n\n\n: three\n\n`,
    cut: DENIAL,
  },
  {
    name: 'a cut that says what its headers would have said, and no more',
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

  it('see copies as text alone: no end, no usage, no second end marker', async () => {
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
    'that fail (%s) end a stream with an error, behind what was inspected',
    async (place) => {
      const cause = new Error('a secret of ours');
      const seen = await through([failAt(place, cause)], [Buffer.from(STREAM)]);
      expect(seen.cut).toMatchObject({ type: 'gateway_unavailable' });
      expect(seen.failure).toBe(cause);
      expect(seen.out).toMatch(/"type":"gateway_unavailable"\}\n\n$/);
      expect(seen.out).not.toContain('a secret');
      expect(seen.out).toContain('"content":"Hel"');
      expect(seen.out.includes('"content":"lo"')).toBe(place === 'end');
    },
  );

  it('that refuse what they cannot read end a stream with their refusal, which is no failure', async () => {
    const cause = new GatewayError('upstream_unavailable', 'too long');
    for (const place of ['event', 'later', 'end'] as const) {
      const seen = await through([failAt(place, cause)], [Buffer.from(STREAM)]);
      expect(seen.cut).toEqual({ kind: 'deny', type: 'upstream_unavailable', message: 'too long' });
      expect(seen.failure).toBeUndefined();
    }
  });

  it('whose comment fails break the connection: what it cost is not known', async () => {
    const failing: StreamRewriter = {
      event: () => PASS_EVENT,
      comment: () => Promise.reject(new Error('broken')),
    };
    await expect(through([failing], [Buffer.from(STREAM)])).rejects.toThrow('broken');
  });
});

/** Records every text that a rewriter is shown, wherever it stands. */
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

/** Streams in which something stands where it is easily missed, and what of it may reach the client. */
const HIDDEN = [
  ['a comment', `: SECRET\n\n${chunk('a')}`, chunk('a')],
  ['a comment in an event', `: SECRET\n${chunk('a')}`, chunk('a')],
  ['an id', `id: SECRET\n${chunk('a')}`, chunk('a')],
  ['the name of an event', `event: SECRET-1\n${chunk('a')}`, chunk('a')],
  ['an earlier name of an event', `event: SECRET 1\nevent: x\n${chunk('a')}`, `event: x\n${chunk('a')}`],
  ['an unknown field', `sekret: SECRET\n${chunk('a')}`, chunk('a')],
  ['a line without a colon', `SECRET\n\n${chunk('a')}`, chunk('a')],
  ['the rest of a stream', `${chunk('a')}SECRET`, chunk('a')],
  ['a payload that is no JSON', `data: SECRET\n\n${chunk('a')}`, chunk('a')],
  ['a payload that is one string', `data: "\\u0053ECRET"\n\n${chunk('a')}`, chunk('a')],
  ['a broken payload', `data: {"a":"SECRET\n\n${chunk('a')}`, chunk('a')],
] as const;

describe('where text is judged, nothing of a stream goes by unseen', () => {
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
      'a name that stands twice',
      'data: {"choices":[{"delta":{"content":"SECRET","content":"clean"}}]}\n\n',
      'data: {"choices":[{"delta":{"content":"clean"}}]}\n\n',
    ],
    [
      'a name that is spelled with escapes',
      'data: {"choices":[{"delta":{"c\\u006fntent":"SECRET","content":"clean"}}]}\n\n',
      'data: {"choices":[{"delta":{"content":"clean"}}]}\n\n',
    ],
  ] as const;

  it.each(TWICE)('%s is written once, as it was read', async (_, stream, plain) => {
    const shown: string[] = [];
    expect((await everyCut(() => [witness(shown)], stream)).out).toBe(plain);
    expect(shown).toContain('clean');
  });

  it('bytes that are no UTF-8 become what every reader makes of them', async () => {
    const bytes = Buffer.concat([
      Buffer.from('data: {"choices":[{"delta":{"content":"a'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('b"}}]}\n\n'),
    ]);
    const { out } = await through([{ event: () => PASS_EVENT }], [bytes]);
    expect(Buffer.from(out)).toEqual(Buffer.from('data: {"choices":[{"delta":{"content":"a��b"}}]}\n\n'));
  });

  it('and is left as it is where none is', async () => {
    const blind: StreamRewriter = { readsText: false, event: () => PASS_EVENT };
    for (const [, stream] of [...HIDDEN, ...TWICE]) {
      expect((await everyCut(() => [blind], stream)).out).toBe(stream);
    }
  });

  it('text that is no JSON is changed as such', async () => {
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
