import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import { InvalidArgumentError, Option, type Command } from 'commander';

import { storyInFile, storyOf } from '../../src/audit/story.ts';
import { tail, type TailedRecord } from '../../src/audit/tail.ts';
import { parseDuration } from '../../src/config/duration.ts';
import type { Operations } from '../../src/operator/operations.ts';
import { storyText, tailLine, textAt } from '../audit-view.ts';
import { ExitCode, withCall, type Call, type Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';
import { gatewaySettings, isRemote, onGateway } from '../on-gateway.ts';
import {
  painter,
  print,
  printable,
  printableJson,
  warnOfOldFlag,
  withOutput,
  type OutputFormat,
  type OutputOptions,
} from '../output.ts';
import { createProgress } from '../progress.ts';

interface TailCommandOptions {
  readonly lines: number;
  readonly follow?: true;
  readonly since?: Since;
  readonly key?: string;
  readonly output: OutputFormat;
}

interface ShowOptions extends OutputOptions {
  /** Deprecated form of `--output json`. Prints a bare array. */
  readonly json?: true;
}

type Since = { readonly agoMs: number } | { readonly at: number };

/** Adds `gateway audit …`, which reads the audit trail in Redis (docs/audit.md). */
export function registerAudit(program: Command, io: Io): void {
  const audit = program.command('audit').description('read the audit trail');
  withOutput(
    audit
      .command('tail')
      .description('show the last records of the audit trail, oldest first')
      .option('-n, --lines <count>', 'number of records; ignored with --since', wholeNumber, 20)
      .option('-f, --follow', 'keep printing new records until Ctrl-C')
      .addOption(
        new Option(
          '--since <time>',
          'show records since a time (2026-01-31T12:00:00Z) or for the last 15m, 2h, …',
        ).argParser(sinceOf),
      )
      .option('--key <key>', 'only records of this key: its name, or its hash (at least 6 hex digits)')
      .addHelpText(
        'after',
        '\nExamples:\n  $ gateway audit tail --follow\n  $ gateway audit tail --since 1h --key planner --output json\n',
      ),
  ).action(withCall(io, tailTrail));
  withOutput(audit.command('show'))
    .description('show one request: its caller, findings, decisions and outcome')
    .argument('<request-id>', 'X-Gateway-Request-ID header that the client received')
    .addOption(
      new Option(
        '--json',
        'print the records as a bare JSON array (deprecated: use --output json)',
      ).hideHelp(),
    )
    .addHelpText('after', '\nExample:\n  $ gateway audit show 0b7c1c9e-5d0f-4c57-9d3a-2f1a5a1f0c11\n')
    .action(withCall(io, showRequest));
}

async function tailTrail(call: Call, options: TailCommandOptions): Promise<void> {
  await refuseIfOff(call);
  const stop = new AbortController();
  function onInterrupt(): void {
    stop.abort();
  }
  process.once('SIGINT', onInterrupt);
  try {
    await onGateway(call, async (operations) => {
      const matches = await matcher(operations, options.key);
      const since = await sinceMs(operations, options.since);
      const { lines, follow = false } = options;
      const records = tail(operations.audit, { lines, since, matches, follow, signal: stop.signal });
      for await (const record of records) call.stdout.write(`${printedRecord(record, options.output)}\n`);
    });
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}

/** Exits with 1 if the trail is off, because empty output would suggest that nothing has happened. */
async function refuseIfOff(call: Call): Promise<void> {
  const { auditEnabled } = await gatewaySettings(call);
  if (auditEnabled) return;
  call.stderr.write(`gateway: the audit trail is off ${whereOff(call)}\n`);
  throw new ExitCode(1);
}

function whereOff(call: Call): string {
  if (isRemote(call)) return 'on this gateway (audit.enabled: false in its configuration)';
  const { file = 'the defaults, because there is no gateway.yaml here' } = loadedConfig(call).sources;
  return `(audit.enabled: false in ${file}). Set audit.enabled: true and restart the gateway, or pass the gateway's configuration file with --config`;
}

/** Searches Redis. If nothing is found, searches `audit.file`, which keeps records that the streams have dropped. */
async function showRequest(call: Call, requestId: string, { json: isOld }: ShowOptions): Promise<void> {
  const progress = createProgress(call, 'records');
  // The file exists only on the gateway's machine.
  const file = isRemote(call) ? '' : loadedConfig(call).config.audit.file;
  let { records } = await onGateway(call, ({ audit }) =>
    storyOf(audit, requestId, (read) => progress.show(read)),
  );
  if (records.length === 0 && file !== '') {
    const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
    ({ records } = await storyInFile(lines, requestId, (read) => progress.show(read)));
  }
  progress.clear();
  if (records.length === 0) {
    const searched = file === '' ? 'the audit trail in Redis' : `the audit trail in Redis and ${file}`;
    call.stderr.write(
      `gateway: no record of request ${printable(requestId)} in ${searched}. The request may be too old, or audit.enabled was false at the time\n`,
    );
    throw new ExitCode(1);
  }
  const shown = records.map(({ record }) => record);
  if (isOld === true) {
    warnOfOldFlag(call, '--json', '--output json, which prints {"request_id", "records"}');
    call.stdout.write(`${printableJson(shown, 2)}\n`);
    return;
  }
  const json = { request_id: requestId, records: shown };
  print(call, json, () => storyText(requestId, shown, painter(call)));
}

/** Returns a filter for the requests of a key and for operator changes to the key. */
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
  return output === 'json' ? printableJson(JSON.parse(line)) : tailLine(record);
}

function wholeNumber(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 100_000) {
    throw new InvalidArgumentError('must be a whole number from 1 to 100000');
  }
  return count;
}

function sinceOf(text: string): Since {
  const agoMs = parseDuration(text);
  if (agoMs !== undefined) return { agoMs };
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new InvalidArgumentError('must be a duration (15m, 2h) or a time (2026-01-31T12:00:00Z)');
  return { at };
}
