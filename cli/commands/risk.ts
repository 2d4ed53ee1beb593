import type { Command } from 'commander';

import type { KeyRecord } from '../../src/auth/key-record.ts';
import type { ActiveKeys } from '../../src/auth/key-use-store.ts';
import type { Operations } from '../../src/operator/operations.ts';
import type { RiskStatus } from '../../src/risk/profile.ts';
import { globMatches } from '../../src/text/glob.ts';
import { withCall, type Call, type Io } from '../command.ts';
import { listedActive, listedKeys, withRecords } from '../key-rows.ts';
import { copyable, entries, KEY_ARGUMENT } from '../key-view.ts';
import { reportOmitted, withList, type Listed, type ListOptions } from '../listed.ts';
import { onGateway, onKey } from '../on-gateway.ts';
import { auditChange, withOperator } from '../operator-change.ts';
import { listing, painter, print, printable, table, withOutput } from '../output.ts';

/** Adds `gateway risk …`, which shows and resets risk profiles of keys (docs/risk.md). */
export function registerRisk(program: Command, io: Io): void {
  const risk = program.command('risk').description('show and reset risk profiles of keys');
  withOutput(
    withList(risk.command('list').description('list keys by their risk score, the highest first'), RISK_LIST),
  ).action(withCall(io, listRisks));
  withOutput(
    risk
      .command('show')
      .argument(...KEY_ARGUMENT)
      .description('show the current risk score and what led to it'),
  ).action(withCall(io, showRisk));
  withOutput(
    withOperator(risk.command('reset').argument(...KEY_ARGUMENT)).description(
      'reset score, block and taints; keeps totals and any lock (see quarantine release)',
    ),
  ).action(withCall(io, resetRisk));
}

interface KeyRisk {
  readonly record: KeyRecord;
  readonly status: RiskStatus;
}

const RISK_LIST = withRecords<KeyRisk>({
  fields: { state: ({ status }) => stateOf(status) },
  orders: {
    score: (one, other) => other.status.risk.riskScore - one.status.risk.riskScore,
    blocks: (one, other) => other.status.risk.totalPolicyBlocks - one.status.risk.totalPolicyBlocks,
  },
});

function stateOf({ risk, lock }: RiskStatus): 'blocked' | 'locked' | 'open' {
  if (risk.blockedAt !== undefined) return 'blocked';
  return lock === undefined ? 'open' : 'locked';
}

/** Keys to read first for each order. All others rank last: without a score (`score`), or never used (`blocks`). */
const TOP: Readonly<Record<string, ActiveKeys>> = {
  score: { marked: true },
  blocks: { usedSince: 0, marked: true },
};

function readRisks(operations: Operations, io: Io, options: ListOptions): Promise<Listed<KeyRisk>> {
  const read = async (record: KeyRecord): Promise<KeyRisk> => ({
    record,
    status: await operations.risks.read(record.keyHash),
  });
  const active = TOP[options.sort];
  if (active === undefined) return listedKeys(operations, io, RISK_LIST, options, { read });
  const isWhole = options.filter?.some(({ field, glob }) => field === 'state' && !globMatches(glob, 'open'));
  return listedActive(operations, io, RISK_LIST, options, { active, isWhole: isWhole === true, read });
}

async function listRisks(call: Call, options: ListOptions): Promise<void> {
  const found = await onGateway(call, (operations) => readRisks(operations, call, options));
  reportOmitted(call, found);
  const { rows, total } = found;
  const json = rows.map(({ record, status }) => ({ ...riskJson(record, status), state: stateOf(status) }));
  print(call, { keys: json, total: total ?? null }, () => {
    if (total === 0) return options.filter === undefined ? 'No keys yet.' : 'No key matches.';
    const cells = rows.map(({ record, status }) => [
      record.name,
      record.keyHash.slice(0, 'sha256:'.length + 12),
      String(status.risk.riskScore),
      stateOf(status),
      String(status.risk.totalPolicyBlocks),
      String(status.risk.totalEscalations),
    ]);
    return table(['NAME', 'HASH', 'SCORE', 'STATE', 'BLOCKS', 'ESCALATIONS'], cells, painter(call));
  });
}

async function showRisk(call: Call, reference: string): Promise<void> {
  const { record, status } = await onKey(call, reference, async ({ risks }, keyHash) => ({
    status: await risks.read(keyHash),
  }));
  const json = riskJson(record, status);
  print(call, json, () => listing(entries(json), painter(call)));
}

async function resetRisk(call: Call, reference: string): Promise<void> {
  const reset = await onGateway(call, ({ changes }) => changes.resetRisk({ reference }));
  const { record, before, after } = reset.result;
  const { keyHash, name } = record;
  print(call, riskJson(record, after), () => {
    const was = before.risk.blockedAt === undefined ? '' : ', and is no longer blocked';
    const lock =
      after.lock === undefined
        ? ''
        : ` It is still locked: gateway quarantine release ${copyable(reference, record)}`;
    return `${printable(name)} (${keyHash}) has a risk score of 0 (it was ${before.risk.riskScore})${was}.${lock}`;
  });
  await auditChange(call, reset.record);
}

/** Amounts are in USD, and timestamps in ISO 8601. */
function riskJson({ keyHash, name }: KeyRecord, { risk, lock }: RiskStatus): Record<string, unknown> {
  return {
    key_hash: keyHash,
    name,
    risk_score: risk.riskScore,
    total_policy_blocks: risk.totalPolicyBlocks,
    total_escalations: risk.totalEscalations,
    total_spend: risk.totalSpendNanoUsd / 1e9,
    persistent_taint_flags: risk.persistentTaintFlags,
    session_count: risk.sessionCount,
    quarantine_active: risk.quarantineActive,
    lock_ttl_seconds: lock?.ttlMs === undefined ? undefined : Math.ceil(lock.ttlMs / 1_000),
    blocked_at: risk.blockedAt === undefined ? undefined : new Date(risk.blockedAt).toISOString(),
  };
}
