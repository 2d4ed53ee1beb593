import { InvalidArgumentError, Option, type Command } from 'commander';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { storyInFile, storyOf } from '../../src/audit/story.ts';
import { tail, type TailedRecord } from '../../src/audit/tail.ts';
import { parseDuration } from '../../src/config/duration.ts';
import type { Operations } from '../../src/operate.ts';
import { storyText } from '../audit-view.ts';
import { ExitCode, type Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';
import { painter, printable, printableJson, withOutput, type OutputFormat } from '../output.ts';
import { createProgress } from '../progress.ts';
import { onRedis } from '../on-redis.ts';

interface TailCommandOptions {
  readonly lines: number;
  readonly follow?: true;
  readonly since?: Since;
  readonly key?: string;
  readonly output: OutputFormat;
}

type Since = { readonly agoMs: number } | { readonly at: number };

/** `gateway audit …`: the audit trail in Redis (docs/audit.md). */
export function registerAudit(program: Command, io: Io): void {
  const audit = program.command('audit').description('read the audit trail');
  withOutput(
    audit
      .command('tail')
      .description('show the last records of the audit trail; with --follow, those to come as well')
      .option('-n, --lines <count>', 'how many records', wholeNumber, 20)
      .option('-f, --follow', 'go on until Ctrl-C')
      .addOption(
        new Option('--since <time>', 'begin there: 15m, 2h, or 2026-01-31T12:00:00Z').argParser(sinceOf),
      )
      .option('--key <key>', 'records of one key: name, hash, or the first characters of its hash')
      .addHelpText(
        'after',
        '\nExamples:\n  $ gateway audit tail --follow\n  $ gateway audit tail --since 1h --key planner --output json\n',
      ),
  ).action((options: TailCommandOptions, command: Command) => tailTrail(command, io, options));
  audit
    .command('show')
    .description('show one request: who asked, what was decided and found, how it ended')
    .argument('<request-id>', 'the X-Gateway-Request-ID that its client saw')
    .option('--json', 'its records as a JSON array')
    .addHelpText('after', '\nExample:\n  $ gateway audit show 0b7c1c9e-5d0f-4c57-9d3a-2f1a5a1f0c11\n')
    .action((requestId: string, options: { readonly json?: true }, command: Command) =>
      showRequest(command, io, requestId, options.json === true),
    );
}

async function tailTrail(command: Command, io: Io, options: TailCommandOptions): Promise<void> {
  const stop = new AbortController();
  function onInterrupt(): void {
    stop.abort();
  }
  process.once('SIGINT', onInterrupt);
  try {
    await onRedis(command, io, async (operations) => {
      const matches = await matcher(operations, options.key);
      const since = await sinceMs(operations, options.since);
      const { lines, follow = false } = options;
      const records = tail(operations.audit, { lines, since, matches, follow, signal: stop.signal });
      for await (const record of records) io.stdout.write(`${printedRecord(record, options.output)}\n`);
    });
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}

/** Looks in Redis, and in `audit.file` for what the streams no longer hold. */
async function showRequest(command: Command, io: Io, requestId: string, isJson: boolean): Promise<void> {
  const progress = createProgress(io, 'records');
  const { file } = loadedConfig(command, io).config.audit;
  let { records } = await onRedis(command, io, ({ audit }) =>
    storyOf(audit, requestId, (read) => {
      progress.show(read);
    }),
  );
  if (records.length === 0 && file !== '') {
    const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
    ({ records } = await storyInFile(lines, requestId, (read) => {
      progress.show(read);
    }));
  }
  progress.clear();
  if (records.length === 0) {
    const places = file === '' ? 'the audit trail in Redis' : `the audit trail in Redis and ${file}`;
    io.stderr.write(
      `error: no record of the request ${printable(requestId)} in ${places}: it may be too old, or audit.enabled is off\n`,
    );
    throw new ExitCode(1);
  }
  const told = records.map(({ record }) => record);
  io.stdout.write(`${isJson ? printableJson(told, 2) : storyText(requestId, told, painter(io))}\n`);
}

/** A key's own requests, and what operators did to it. */
async function matcher(
  { keys }: Operations,
  reference: string | undefined,
): Promise<(record: Record<string, unknown>) => boolean> {
  if (reference === undefined) return () => true;
  const { keyHash } = await keys.find(reference);
  return (record) =>
    textAt(record, 'actor', 'user', 'uid') === keyHash || textAt(record, 'unmapped', 'key_hash') === keyHash;
}

async function sinceMs({ readClock }: Operations, since: Since | undefined): Promise<number | undefined> {
  if (since === undefined) return undefined;
  return 'at' in since ? since.at : (await readClock()) - since.agoMs;
}

function printedRecord({ line, record }: TailedRecord, output: OutputFormat): string {
  if (output === 'json') return printableJson(JSON.parse(line));
  const { time } = record;
  const at = typeof time === 'number' ? new Date(time).toISOString() : '-';
  const who = textAt(record, 'actor', 'user', 'name') ?? textAt(record, 'actor', 'user', 'uid') ?? '-';
  const what =
    textAt(record, 'finding_info', 'title') ??
    [textAt(record, 'api', 'service', 'name'), textAt(record, 'api', 'operation')].join(' ');
  const columns = [
    at,
    (textAt(record, 'disposition') ?? '-').padEnd(11),
    (textAt(record, 'status_code') ?? '-').padEnd(3),
    who,
    what,
    textAt(record, 'status_detail'),
    textAt(record, 'message'),
    textAt(record, 'metadata', 'correlation_uid'),
  ];
  return columns
    .flatMap((column) => (column === undefined || column === '' ? [] : [printable(column)]))
    .join('  ');
}

function textAt(record: unknown, ...path: readonly string[]): string | undefined {
  let at = record;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return typeof at === 'string' ? at : undefined;
}

function wholeNumber(written: string): number {
  const count = Number(written);
  if (!Number.isInteger(count) || count < 1 || count > 100_000) {
    throw new InvalidArgumentError('must be a whole number from 1 to 100000');
  }
  return count;
}

function sinceOf(written: string): Since {
  const agoMs = parseDuration(written);
  if (agoMs !== undefined) return { agoMs };
  const at = Date.parse(written);
  if (Number.isNaN(at))
    throw new InvalidArgumentError('must be a duration (15m, 2h) or a time (2026-01-31T12:00:00Z)');
  return { at };
}
