import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';

/**
 * `npm run corpora -- <folder> [--classes] [--rows]`: the findings of `gateway scan` in labelled texts, tier by tier.
 * The folder has JSON lines, plain or gzipped, named `obfuscation.*`, `secrets.*`, `injection.*`, `pii.*`,
 * `drift.*`; the texts stay there. `--classes` splits the tiers (those of `pii` are always split), `--rows` names the
 * wrong rows. Exits with 1 if a target is missed.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { classes: { type: 'boolean', default: false }, rows: { type: 'boolean', default: false } },
});

const row = z.object({
  id: z.string(),
  text: z.string().default(''),
  turns: z.array(z.string()).default([]),
  replies: z.array(z.string()).nullish(),
  expect: z.looseObject({
    /** Rows of third-party sets have none. */
    tier: z.string().default('untiered'),
    detect: z.boolean().optional(),
    class: z.string().optional(),
    technique: z.string().optional(),
    family: z.string().optional(),
    plain: z.string().default(''),
    match: z.string().optional(),
    flags: z.array(z.string()).default([]),
    secrets: z.array(z.string()).default([]),
    spans: z.array(z.object({ start: z.number(), end: z.number(), value: z.string() })).default([]),
    surface: z.enum(['prompt', 'tool']).default('prompt'),
    drift: z.boolean().nullish(),
  }),
});
type Row = z.infer<typeof row>;

const textReport = z.object({
  id: z.string(),
  normalized: z.string(),
  obfuscation: z.record(z.string(), z.boolean()),
  findings: z.array(
    z.object({ detector: z.string(), class: z.string(), start: z.number(), end: z.number() }),
  ),
  masked: z.string(),
});
type TextReport = z.infer<typeof textReport>;

const conversationReport = z.object({
  id: z.string(),
  turns: z.array(z.object({ turn_count: z.number(), denied: z.boolean() })),
});

/** One question about one row. */
interface Answer {
  readonly id: string;
  readonly corpus: string;
  readonly tier: string;
  readonly class: string;
  /** The column that counts it. */
  readonly what: What;
  readonly yes: boolean;
}

/** The question, and whether yes is the good answer. */
const GOOD = {
  revealed: true,
  flagged: true,
  found: true,
  masked: true,
  caught: true,
  fired: false,
  'falsely flagged': false,
  'wrongly denied': false,
  /** For an unlabelled conversation. */
  denied: false,
} as const;
type What = keyof typeof GOOD;

interface Target {
  readonly corpus: string;
  readonly tier: string;
  readonly what: What;
  /** Minimum share of good answers. */
  readonly share: number;
}

const TARGETS: readonly Target[] = [
  { corpus: 'obfuscation', tier: 'spec', what: 'revealed', share: 0.99 },
  { corpus: 'secrets', tier: 'spec', what: 'found', share: 0.99 },
  { corpus: 'secrets', tier: 'negative', what: 'fired', share: 0.995 },
  { corpus: 'injection', tier: 'spec', what: 'found', share: 0.95 },
  { corpus: 'injection', tier: 'negative', what: 'fired', share: 0.99 },
  { corpus: 'injection', tier: 'negative', what: 'falsely flagged', share: 0.995 },
  { corpus: 'pii', tier: 'spec', what: 'found', share: 0.99 },
  { corpus: 'pii', tier: 'spec', what: 'masked', share: 0.99 },
  { corpus: 'pii', tier: 'spec', what: 'fired', share: 0.995 },
  { corpus: 'pii', tier: 'negative', what: 'fired', share: 0.995 },
  { corpus: 'drift', tier: 'hard', what: 'caught', share: 8 / 9 },
  { corpus: 'drift', tier: 'on topic', what: 'wrongly denied', share: 0.9 },
];

/** Characters that carry hidden text: tags, variation selectors, zero-width ones. */
const HIDDEN = /[\u200B-\u200F\u2060-\u2064]|[\u{FE00}-\u{FE0F}]|[\u{E0000}-\u{E01EF}]/u;

const CORPORA = {
  obfuscation: judgeTexts,
  secrets: judgeTexts,
  injection: judgeTexts,
  pii: judgeTexts,
  drift: judgeTurns,
};

const folder = positionals[0];
if (folder === undefined) throw new Error('usage: npm run corpora -- <folder> [--classes] [--rows]');
const answers: Answer[] = [];
for (const [corpus, judge] of Object.entries(CORPORA)) {
  const rows = readRows(folder, corpus);
  const started = performance.now();
  if (rows.length > 0) answers.push(...(await judge(corpus, rows)));
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stderr.write(`${corpus}: ${String(rows.length)} rows in ${seconds} s\n`);
}
if (answers.length === 0) throw new Error(`${folder}: no corpus is there`);
printTable(answers);
console.log();
process.exitCode = printTargets(answers) ? 0 : 1;

function readRows(from: string, corpus: string): Row[] {
  return readdirSync(from)
    .filter((name) => name.startsWith(`${corpus}.`) && /\.jsonl(\.gz)?$/.test(name))
    .map((name) => ({ name, bytes: readFileSync(join(from, name)) }))
    .flatMap(({ name, bytes }) => (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n'))
    .filter((line) => line !== '')
    .map((line) => row.parse(JSON.parse(line)))
    .filter(({ expect }) => !/^(contested|out_of_spec)/.test(expect.tier));
}

/** Runs the command as people run it. */
async function scan<Report extends { id: string }>(
  args: readonly string[],
  rows: readonly Row[],
  schema: z.ZodType<Report>,
): Promise<Map<string, Report>> {
  const main = new URL('../../cli/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, 'scan', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const written = pipeline(
    Readable.from(
      rows.map(({ id, text, turns, replies }) => `${JSON.stringify({ id, text, turns, replies })}\n`),
    ),
    child.stdin,
  );
  const reports = new Map<string, Report>();
  for await (const line of createInterface({ input: child.stdout })) {
    const report = schema.parse(JSON.parse(line));
    reports.set(report.id, report);
  }
  await written;
  const [code] = await ended;
  if (code !== 0 || reports.size !== rows.length) {
    throw new Error(
      `gateway scan gave ${String(reports.size)} of ${String(rows.length)} reports, exit ${code}`,
    );
  }
  return reports;
}

async function judgeTexts(corpus: string, rows: readonly Row[]): Promise<Answer[]> {
  const all: Answer[] = [];
  for (const surface of ['prompt', 'tool', 'completion'] as const) {
    const here = rows.filter(({ expect }) => (corpus === 'pii' ? 'completion' : expect.surface) === surface);
    if (here.length === 0) continue;
    const reports = await scan(['--jsonl', '--surface', surface], here, textReport);
    for (const one of here) {
      const report = reports.get(one.id);
      if (report !== undefined) all.push(...judgeText(corpus, one, report));
    }
  }
  return all;
}

function judgeText(corpus: string, row: Row, report: TextReport): Answer[] {
  if (corpus === 'pii') return judgePii(row, report);
  const { id, expect } = row;
  const { tier } = expect;
  const kind = expect.class ?? expect.technique ?? `${expect.surface} ${expect.family ?? ''}`;
  const answer = (what: What, yes: boolean): Answer => ({ id, corpus, tier, class: kind, what, yes });
  if (corpus === 'obfuscation') {
    const flagged = expect.flags.every((flag) => report.obfuscation[flag] === true);
    return [answer('revealed', isRevealed(expect, report)), answer('flagged', flagged)];
  }
  const fired = report.findings.some(({ detector }) => (detector === 'secrets') === (corpus === 'secrets'));
  const falselyFlagged = answer('falsely flagged', report.obfuscation['obfuscation_detected'] === true);
  if (expect.detect === false) return [answer('fired', fired), falselyFlagged];
  const survives = (secret: string): boolean =>
    report.masked.includes(secret) || unescaped(report.masked).includes(secret);
  return [answer('found', fired && !expect.secrets.some(survives))];
}

/** A row without personal data is tested only for its class, unless it is a negative row for all. */
function judgePii({ id, expect }: Row, { findings, masked }: TextReport): Answer[] {
  const { tier, spans } = expect;
  const kind = expect.class === 'host' ? 'network' : (expect.class ?? '');
  const answer = (what: What, yes: boolean): Answer => ({ id, corpus: 'pii', tier, class: kind, what, yes });
  const mine = kind === 'negative' ? findings : findings.filter((finding) => finding.class === kind);
  if (expect.detect === false) return [answer('fired', mine.length > 0)];
  const isFound = spans.every((span) => mine.some(({ start, end }) => start < span.end && end > span.start));
  return [answer('found', isFound), answer('masked', !spans.some(({ value }) => masked.includes(value)))];
}

function isRevealed(
  { plain, match, flags }: Row['expect'],
  { normalized, obfuscation }: TextReport,
): boolean {
  const squashed = squash(normalized);
  const wanted = squash(plain);
  switch (match) {
    case 'leet':
      return squash(unleet(normalized)).includes(squash(unleet(plain)));
    case 'reverse':
      return squashed.includes(wanted) || [...squashed].reverse().join('').includes(wanted);
    case 'tag':
      // Revealed, or removed with a flag.
      return (
        squashed.includes(wanted) ||
        (!HIDDEN.test(normalized) && flags.every((flag) => obfuscation[flag] === true))
      );
    case 'contains_traversal':
      // A slash before it may have been plain.
      return /\.\.[\\/]|\\\.\./.test(normalized);
    default:
      return squashed.includes(wanted);
  }
}

function squash(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Maps letters that leetspeak writes alike to one letter. */
function unleet(text: string): string {
  const letters: Readonly<Record<string, string>> = {
    ...{ '0': 'o', '1': 'i', l: 'i', '!': 'i', '|': 'i', '3': 'e', '4': 'a', '@': 'a' },
    ...{ '5': 's', $: 's', '7': 't', '+': 't', '8': 'b', '9': 'g', '6': 'g', '2': 'z' },
  };
  return text.toLowerCase().replace(/[^]/gu, (letter) => letters[letter] ?? letter);
}

/** The text as read by a program that finds it in a JSON string. */
function unescaped(text: string): string {
  const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([^]))/g, (_all, hex?: string, letter = '') =>
    hex === undefined ? (controls[letter] ?? letter) : String.fromCharCode(parseInt(hex, 16)),
  );
}

async function judgeTurns(corpus: string, rows: readonly Row[]): Promise<Answer[]> {
  const reports = await scan(['--conversations'], rows, conversationReport);
  return rows.flatMap(({ id, expect }) => {
    // Turns before `min_turns` are never denied.
    const denied = reports.get(id)?.turns.some((turn) => turn.denied) === true;
    const one = { id, corpus, tier: expect.tier, class: expect.tier, yes: denied };
    if (expect.drift === true) return [{ ...one, what: 'caught' }];
    if (expect.drift !== false) return [{ ...one, what: 'denied' }];
    const unwanted: Answer = { ...one, what: 'wrongly denied' };
    return [unwanted, { ...unwanted, tier: 'on topic' }];
  });
}

/** Prints the tiers in their order of appearance, then the targets. */
function printTable(all: readonly Answer[]): void {
  const groups = Map.groupBy(all, ({ corpus, tier, class: kind, what }) =>
    [corpus, tier, options.classes || corpus === 'pii' ? kind : '', what].join('\t'),
  );
  for (const [name, group] of groups) {
    const yes = group.filter((answer) => answer.yes).length;
    const cells = [...name.split('\t'), `${yes} of ${group.length}`, percent(yes / group.length)];
    console.log(columns(cells, [12, 14, options.classes ? 34 : 10, 16, 12]));
    const wrong = group.filter(isWrong).map(({ id }) => id);
    if (options.rows && wrong.length > 0) console.log(`    ${wrong.join(' ')}`);
  }
}

/** True if no target with rows in the folder is missed. */
function printTargets(all: readonly Answer[]): boolean {
  const missed = TARGETS.filter(({ corpus, tier, what, share }) => {
    const asked = all.filter((one) => one.corpus === corpus && one.tier === tier && one.what === what);
    const good = asked.filter((one) => !isWrong(one)).length / asked.length;
    const [shown, bound, word] = GOOD[what] ? [good, share, 'least'] : [1 - good, 1 - share, 'most'];
    const isMissed = good < share;
    const cells = [isMissed ? 'MISSED' : 'met', corpus, tier, what, percent(shown)];
    if (asked.length > 0) console.log(`${columns(cells, [8, 12, 14, 16, 9])}at ${word} ${percent(bound)}`);
    return isMissed;
  });
  return missed.length === 0;
}

function isWrong({ what, yes }: Answer): boolean {
  return yes !== GOOD[what];
}

function columns(cells: readonly string[], widths: readonly number[]): string {
  return cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
