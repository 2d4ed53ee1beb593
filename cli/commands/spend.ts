import { Option, type Command } from 'commander';

import { LONGEST_CALL_MS } from '../../src/auth/key-use-store.ts';
import { formatUsd } from '../../src/pricing/usd.ts';
import { dayOf, dayText } from '../../src/spend/store.ts';
import { groupOf, SpendSums, type Bucket, type SpendRow } from '../../src/spend/sums.ts';
import { durationOf } from '../arguments.ts';
import { UsageError, withCall, type Call, type Io } from '../command.ts';
import { gatewaySettings, onGateway } from '../on-gateway.ts';
import { painter, print, printable, table } from '../output.ts';
import { activeKeys, ofEachKey } from '../read-keys.ts';

interface SpendOptions {
  readonly by: string;
  /** Length of the period in milliseconds. */
  readonly since: number;
  readonly bucket: Bucket;
  readonly output: 'table' | 'csv' | 'json';
}

const GROUPS = ['owner', 'team', 'key', 'provider', 'model', 'tool'];
const DAY_MS = 86_400_000;
const MAX_DAYS = 3_660;
/** Number of days read per batch, over all keys. */
const READS_AT_ONCE = 2_000;

/** Adds `gateway spend`, which sums recorded spend (docs/spend.md). */
export function registerSpend(program: Command, io: Io): void {
  program
    .command('spend')
    .description('show recorded spend by owner, team, key, provider, model, tool or tag')
    .addOption(
      new Option('--by <group>', 'owner, team (the tag named team), key, provider, model, tool, or tag:NAME')
        .argParser(groupName)
        .default('owner'),
    )
    .addOption(
      new Option('--since <duration>', 'period to sum, in days including today')
        .argParser(durationOf('--since'))
        .default(30 * DAY_MS, '30d'),
    )
    .addOption(
      new Option('--bucket <length>', 'period of each sum')
        .choices(['day', 'week', 'month', 'total'])
        .default('total'),
    )
    .addOption(
      new Option('--output <format>', 'output format').choices(['table', 'csv', 'json']).default('table'),
    )
    .action(withCall(io, showSpend));
}

function groupName(text: string): string {
  if (GROUPS.includes(text) || /^tag:./.test(text)) return text;
  throw new UsageError(
    `--by: "${printable(text)}" is not a group. Choose from ${GROUPS.join(', ')}, or a tag such as tag:project`,
  );
}

async function showSpend(call: Call, options: SpendOptions): Promise<void> {
  const { by, since, bucket, output } = options;
  const days = Math.ceil(since / DAY_MS);
  if (days < 1 || days > MAX_DAYS)
    throw new UsageError('--since must be from 1d to 3660d, for example: --since 30d');
  const { spendEnabled } = await gatewaySettings(call);
  const { rows, first, last } = await onGateway(call, async (operations) => {
    const today = dayOf(await operations.readClock());
    const from = today - days + 1;
    const sums = new SpendSums(bucket);
    // A stream counts for the day on which it ends.
    const used = activeKeys(operations, call, { usedSince: Math.max(0, from * DAY_MS - LONGEST_CALL_MS) });
    const read = ofEachKey(
      used,
      async (record) => ({ record, spent: await operations.spend.read(record.keyHash, from, today) }),
      Math.ceil(READS_AT_ONCE / days),
    );
    for await (const { record, spent } of read)
      for (const spend of spent) sums.add(groupOf(by, record, spend), spend);
    return { rows: sums.rows(), first: from, last: today };
  });
  const total = rows.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0);
  if (output === 'csv') {
    call.stdout.write(`${spendCsv(by, rows)}\r\n`);
    return;
  }
  const json = {
    by,
    bucket,
    from: dayText(first),
    to: dayText(last),
    rows: rows.map(({ nanoUsd, bucket: at, group }) => ({
      ...(at !== undefined && { from: at }),
      [by]: group,
      usd: nanoUsd / 1e9,
    })),
    total_usd: total / 1e9,
  };
  print(call, json, () => shown(call, spendEnabled, by, rows, total));
}

function shown(io: Io, spendEnabled: boolean, by: string, rows: readonly SpendRow[], total: number): string {
  if (rows.length === 0) {
    return spendEnabled
      ? 'Nothing was spent in this period.'
      : 'No spend is recorded: set spend.enabled in the configuration (docs/spend.md).';
  }
  const hasBuckets = rows.some(({ bucket }) => bucket !== undefined);
  const largest = Math.max(...rows.map(({ nanoUsd }) => nanoUsd));
  const isTerminal = io.stdout.isTTY === true;
  const headings = [...(hasBuckets ? ['FROM'] : []), by.toUpperCase(), 'USD', ...(isTerminal ? [''] : [])];
  const cells = rows.map(({ group, bucket = '', nanoUsd }) => [
    ...(hasBuckets ? [bucket] : []),
    group,
    formatUsd(nanoUsd),
    ...(isTerminal ? [spendBar(nanoUsd, largest)] : []),
  ]);
  return `${table(headings, cells, painter(io))}\n\nTotal: ${formatUsd(total)} USD`;
}

const BAR_CELLS = 30;

function spendBar(nanoUsd: number, largest: number): string {
  return largest <= 0 ? '' : '█'.repeat(Math.max(0, Math.round((nanoUsd / largest) * BAR_CELLS)));
}

/** Returns rows as CSV (RFC 4180). A group that a spreadsheet would read as a formula gets a leading apostrophe. */
function spendCsv(by: string, rows: readonly SpendRow[]): string {
  const hasBuckets = rows.some(({ bucket }) => bucket !== undefined);
  const head = [...(hasBuckets ? ['from'] : []), by, 'usd'];
  const lines = rows.map(({ group, bucket, nanoUsd }) => [
    ...(hasBuckets ? [bucket ?? ''] : []),
    /^[=+\-@\t]./.test(group) ? `'${group}` : group,
    formatUsd(nanoUsd),
  ]);
  return [head, ...lines].map((cells) => cells.map(csvCell).join(',')).join('\r\n');
}

function csvCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
