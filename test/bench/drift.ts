/**
 * `node test/bench/drift.ts CORPUS.jsonl[.gz]`: how well drift detection distinguishes conversations that leave their topic
 * from those that keep it; the figures in docs/accuracy-drift.md. A row is `{id, source, turns, replies, expect: {drift, tier,
 * drift_from_turn}}`; rows whose `drift` is null are small talk, which has no topic to leave.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { createConversationJudge, type Conversation } from '../../src/checks/drift/conversation.ts';
import type { DriftSettings } from '../../src/checks/drift/drift.ts';
import { contentWords } from '../../src/text/content-words.ts';
import { gramSet, wordGrams, type GramSet } from '../../src/text/ngrams.ts';
import { createRandom } from '../support/random.ts';

const row = z.object({
  id: z.string(),
  source: z.string(),
  turns: z.array(z.string()),
  replies: z
    .array(z.string())
    .nullish()
    .transform((replies) => replies ?? []),
  expect: z.object({
    drift: z.boolean().nullable(),
    tier: z.string(),
    drift_from_turn: z.number().nullish(),
  }),
});
type Row = z.infer<typeof row>;

/** The denied turns of a conversation, counted from 0. */
type Reading = (conversation: Conversation) => Promise<number[]>;

interface Splice extends Conversation {
  /** Turns of the first conversation; the other one begins here. */
  readonly cut: number;
  /** Undefined if the two are not in one half. */
  readonly half: number | undefined;
}

const SPLICES_PER_CONVERSATION = 15;
const SEED = 20_250_101;
const LONG_TEXT_CHARS = 51_200;
const DEFAULTS: DriftSettings = { minTurns: 3, anchorSimilarityThreshold: 0.08, driftScoreThreshold: 0.45 };

const READINGS: readonly (readonly [string, Reading])[] = [
  ['defaults', reading(DEFAULTS)],
  ['anchor_similarity_threshold 0.2', reading({ ...DEFAULTS, anchorSimilarityThreshold: 0.2 })],
  ['drift_score_threshold 0.75', reading({ ...DEFAULTS, driftScoreThreshold: 0.75 })],
  ['literal: 1 - similarity', literal],
];

function reading(settings: DriftSettings): Reading {
  const judge = createConversationJudge(settings);
  return async (conversation) =>
    (await judge(conversation)).flatMap(({ driftDetected }, index) => (driftDetected ? [index] : []));
}

/** The bare formula: containment in the first and in the last user message that passed. */
function literal({ turns }: Conversation): Promise<number[]> {
  const [anchor = gramSet(wordGrams([])), ...later] = turns.map((turn) =>
    gramSet(wordGrams(contentWords(turn))),
  );
  const denied: number[] = [];
  let prior: GramSet = anchor;
  let turnCount = 1;
  for (const [index, grams] of later.entries()) {
    const score = 1 - (0.75 * share(grams, anchor) + 0.25 * share(grams, prior));
    if (turnCount + 1 >= DEFAULTS.minTurns && score > DEFAULTS.driftScoreThreshold) denied.push(index + 1);
    else {
      turnCount += 1;
      prior = grams;
    }
  }
  return Promise.resolve(denied);
}

function share(grams: GramSet, set: GramSet): number {
  return grams.length === 0 ? 0 : grams.filter((gram) => set.includes(gram)).length / grams.length;
}

function readRows(path: string): Row[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  return text
    .trim()
    .split('\n')
    .map((line) => row.parse(JSON.parse(line)));
}

/** Assigns conversations about one subject to the same half, regardless of their wording. */
function topicOf({ source }: Row): string {
  return source.replace(/:(raw|resolved)$/, '');
}

function halfOf(one: Row): number {
  return createHash('sha256').update(topicOf(one)).digest().readUInt8(0) % 2;
}

/** Each conversation continues, after its second turn or later, with the turns of others. */
function spliced(rows: readonly Row[]): Splice[] {
  const random = createRandom(SEED);
  const pick = (count: number): number => Math.floor(random() * count);
  return rows.flatMap((one) =>
    Array.from({ length: SPLICES_PER_CONVERSATION }, () => {
      const others = rows.filter((other) => topicOf(other) !== topicOf(one));
      const other = others[pick(others.length)] ?? one;
      const cut = 2 + pick(one.turns.length - 1);
      return {
        cut,
        half: halfOf(one) === halfOf(other) ? halfOf(one) : undefined,
        turns: [...one.turns.slice(0, cut), ...other.turns],
        replies: [
          ...one.turns.slice(0, cut).map((_turn, index) => one.replies[index] ?? ''),
          ...other.replies,
        ],
      };
    }),
  );
}

/** Returns three turns of one conversation followed by four of another, for all pairs of topics without answers. */
function questions(rows: readonly Row[]): Splice[] {
  const bare = rows.filter(({ replies }) => replies.length === 0);
  return bare.flatMap((one) =>
    bare
      .filter((other) => topicOf(other) !== topicOf(one))
      .map((other) => ({
        cut: 3,
        half: undefined,
        turns: [...one.turns.slice(0, 3), ...other.turns.slice(0, 4)],
        replies: [],
      })),
  );
}

/** 50 KB of words that occur nowhere, or of words from the other conversations. */
function longText(kind: 'made-up' | 'prose', rows: readonly Row[]): string {
  const random = createRandom(SEED);
  const pick = (count: number): number => Math.floor(random() * count);
  const syllables = ['ba', 'de', 'fi', 'go', 'lu', 'mer', 'nas', 'pol', 'ri', 'sto', 'ten', 'vu'];
  const prose = rows.flatMap(({ replies }) => replies);
  let text = '';
  while (text.length < LONG_TEXT_CHARS) {
    const word = Array.from({ length: 1 + pick(3) }, () => syllables[pick(syllables.length)] ?? '').join('');
    text += kind === 'made-up' ? `${word} ` : `${prose[pick(prose.length)] ?? word}\n`;
  }
  return text;
}

function withLongAnchor({ turns: [first = '', ...later], replies }: Row, text: string): Conversation {
  return { turns: [`${text}\n${first}`, ...later], replies };
}

async function count<T>(items: readonly T[], holds: (item: T) => Promise<boolean>): Promise<string> {
  let found = 0;
  for (const item of items) if (await holds(item)) found += 1;
  return `${String(found)}/${String(items.length)}`;
}

async function measure(read: Reading, rows: readonly Row[]): Promise<Record<string, string>> {
  const onTopic = rows.filter(({ expect }) => expect.drift === false);
  const hard = rows.filter(({ expect }) => expect.drift === true && expect.tier === 'hard');
  const soft = rows.filter(({ expect }) => expect.drift === true && expect.tier === 'soft');
  const splices = spliced(onTopic);
  const denied = async (conversation: Conversation): Promise<boolean> =>
    (await read(conversation)).length > 0;
  const after = async (one: Splice): Promise<boolean> => (await read(one)).some((turn) => turn >= one.cut);
  function longAnchor(kind: 'made-up' | 'prose') {
    const text = longText(kind, rows);
    return count(hard, async (one) =>
      (await read(withLongAnchor(one, text))).some((turn) => turn + 1 >= (one.expect.drift_from_turn ?? 0)),
    );
  }
  const figures: Record<string, string> = {
    'hard caught': await count(hard, denied),
    'splices caught': await count(splices, after),
    'questions, then others: caught': await count(
      questions(onTopic.filter(({ expect }) => expect.tier === 'clear')),
      after,
    ),
    'elliptical ones among them: caught': await count(questions(onTopic), after),
    'splices caught, half 0': await count(
      splices.filter(({ half }) => half === 0),
      after,
    ),
    'splices caught, half 1': await count(
      splices.filter(({ half }) => half === 1),
      after,
    ),
    'on topic denied': await count(onTopic, denied),
    'on topic denied, half 0': await count(
      onTopic.filter((one) => halfOf(one) === 0),
      denied,
    ),
    'on topic denied, half 1': await count(
      onTopic.filter((one) => halfOf(one) === 1),
      denied,
    ),
  };
  for (const tier of new Set(onTopic.map(({ expect }) => expect.tier))) {
    figures[`on topic denied, ${tier}`] = await count(
      onTopic.filter(({ expect }) => expect.tier === tier),
      denied,
    );
  }
  return {
    ...figures,
    'soft denied': await count(soft, denied),
    'small talk denied': await count(
      rows.filter(({ expect }) => expect.drift === null),
      denied,
    ),
    'hard caught, 50 KB of made-up words before the anchor': await longAnchor('made-up'),
    'hard caught, 50 KB of prose before the anchor': await longAnchor('prose'),
  };
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: node test/bench/drift.ts CORPUS.jsonl[.gz]');
const rows = readRows(path);
for (const [name, read] of READINGS) {
  console.log(`\n${name}`);
  for (const [figure, value] of Object.entries(await measure(read, rows))) {
    console.log(`  ${figure.padEnd(56)} ${value}`);
  }
}
