import { describe, expect, it } from 'vitest';
import { providers } from '../../../src/providers/registry.ts';
import type { AnswerFacts, Dialect, StreamEvent } from '../../../src/providers/dialect.ts';
import type { Frame } from '../../../src/streams/frame.ts';
import { stepsOf, type Work } from '../../../src/turns.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';
import { decodeStream } from '../../support/decode-stream.ts';
import { filled, listsAround, repeated, type SweptRow } from '../../support/turn-sweep/places.ts';
import { SWEPT_ROWS } from '../../support/turn-sweep/rows.ts';

/** Room for some thousand of the smallest parts. */
const ROOM = { bytes: 150_000, depth: 230, work: 60_000, textWork: 4 };
/** Parts noted between two steps: a text and its tokens. */
const MOST_IN_A_STEP = 64;
/** A list instead of a text; each string may be a separate text. */
const LIST = `[${Array.from({ length: 3_000 }, (_, index) => `"a${String(index)}"`).join(',')}]`;

function dialectOf({ provider, path, query }: SweptRow): Dialect {
  const dialect = providers[provider].endpoint('POST', path, query)?.dialect;
  if (dialect === undefined) throw new Error(`no endpoint ${provider} ${path}`);
  return dialect;
}

/** The document with long lists, and with long lists in place of texts. */
function longOnes(document: unknown): readonly (readonly [name: string, json: string])[] {
  return listsAround(document).flatMap((list) => {
    const leaf = list.name.slice(list.name.indexOf(' of ') + ' of '.length);
    return [
      [list.name, repeated(document, list, ROOM).toString()],
      [leaf, filled(document, leaf, LIST).toString()],
    ] as const;
  });
}

/** Returns the parts noted per step. */
function perStep<Result>(work: Work<Result>, countOf: (result: Result) => number): number {
  let steps = 1;
  for (;;) {
    const step = work.next();
    if (step.done === true) return countOf(step.value) / steps;
    steps += 1;
  }
}

const inFacts = ({ texts, tokens = [] }: AnswerFacts): number => texts.length + tokens.length;
const inEvent = ({ deltas, tokens = [] }: StreamEvent): number => deltas.length + tokens.length;

const ROWS = SWEPT_ROWS.filter(({ provider, path, query }) => {
  return providers[provider].endpoint('POST', path, query) !== undefined;
}).map((row) => [`${row.provider} ${row.path}`, row] as const);

describe('many texts do not block the event loop', () => {
  it.each(ROWS)('in an answer of %s', (_name, row) => {
    const { answer } = dialectOf(row);
    for (const [name, json] of longOnes(row.answer)) {
      const body: unknown = JSON.parse(json);
      expect(perStep(stepsOf(answer, body), inFacts), name).toBeLessThan(MOST_IN_A_STEP);
    }
  });

  it.each(ROWS.filter(([, { stream }]) => stream !== undefined))('in an event of %s', (_name, row) => {
    const frames = row.stream === undefined ? [] : decodeStream(row.stream.format, [row.stream.bytes]);
    for (const frame of frames) {
      const document = documentIn(frame);
      if (document === undefined) continue;
      for (const [name, data] of longOnes(document)) {
        const reader = dialectOf(row).stream();
        if (reader === undefined) throw new Error('a dialect that streams has a reader');
        const work = stepsOf(reader.read, { ...frame, data });
        expect(perStep(work, inEvent), name).toBeLessThan(MOST_IN_A_STEP);
      }
    }
  });
});

describe('a long member name above many texts', () => {
  const below = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m${String(at)}`, 'v']));
  const long = JSON.stringify({ ['n'.repeat(10_000)]: below });

  it.each(ROWS.filter(([, { stream }]) => stream !== undefined))(
    'is not repeated in the channels of %s',
    (_name, row) => {
      const frames = row.stream === undefined ? [] : decodeStream(row.stream.format, [row.stream.bytes]);
      for (const frame of frames) {
        const document = documentIn(frame);
        if (document === undefined) continue;
        for (const { name } of listsAround(document)) {
          const leaf = name.slice(name.indexOf(' of ') + ' of '.length);
          const reader = dialectOf(row).stream();
          if (reader === undefined) throw new Error('a dialect that streams has a reader');
          const { deltas } = reader.read({ ...frame, data: filled(document, leaf, long).toString() });
          for (const { channel } of deltas) expect(channel.length, leaf).toBeLessThan(1_000);
        }
      }
    },
  );
});

function documentIn({ data = '' }: Frame): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

it('many candidates of an answer are read in linear time', () => {
  const candidate = { content: { parts: [{ text: 'a' }] } };
  const { answer } = dialectOf({
    provider: 'gemini',
    path: '/v1beta/models/gemini-x:generateContent',
    body: {},
    answer: {},
  });
  const body = { candidates: Array.from({ length: 30_000 }, () => candidate) };
  expect(quickestCpuMs(() => answer(body))).toBeLessThan(500);
});
