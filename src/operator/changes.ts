import type { BudgetLimits } from '../budget-windows.ts';
import type { OperatorChange } from '../audit/operator-record.ts';
import type { KeyChange, NewKey } from '../auth/key-fields.ts';
import { recordJson } from '../auth/key-json.ts';
import type { KeyRecord } from '../auth/key-record.ts';
import type { IssuedKey, KeyStore } from '../auth/key-store.ts';
import type { BudgetStore, LimitChanges } from '../checks/budget/store.ts';
import type { Accepted, PinStore } from '../checks/mcp-inspector/store.ts';
import type { SessionStore } from '../checks/session/store.ts';
import { maskSecrets } from '../detectors/mask.ts';
import { newOperationId } from '../operation-id.ts';
import { plainReason, type LockCause } from '../risk/lock-cause.ts';
import type { RiskStatus } from '../risk/profile.ts';
import type { LockTime, RiskStore } from '../risk/store.ts';
import {
  answerEscalation,
  type AnsweredEscalation,
  type AnsweringOptions,
  type EscalationAnswer,
} from './answer-escalation.ts';
import { ChangeRefused, type Changed } from './changed.ts';
import { limitsUsd } from './limits-usd.ts';
import {
  setSharedBudget,
  type SharedBudgetChange,
  type SharedBudgetChangesOptions,
  type SharedBudgetSet,
} from './shared-budget-changes.ts';

interface OfKey {
  /** The key's name, hash, or the beginning of its hash. */
  readonly reference: string;
}

type WithRecord<Result> = Result & { readonly record: KeyRecord };

/** Changes that operators can make, named like the API operations. */
export interface Changes {
  createKey(key: NewKey): Promise<Changed<IssuedKey>>;
  updateKey(change: OfKey & { readonly change: KeyChange }): Promise<Changed<KeyRecord>>;
  rotateKey(
    change: OfKey & { readonly graceMs: number },
  ): Promise<Changed<IssuedKey & { readonly endsAt: number }>>;
  revokeKey(change: OfKey): Promise<Changed<WithRecord<{ readonly wasRevoked: boolean }>>>;
  /** Sets the default budget if `reference` is undefined. */
  setBudget(change: {
    readonly reference?: string | undefined;
    readonly limits: LimitChanges;
  }): Promise<Changed<{ readonly record: KeyRecord | undefined; readonly limits: BudgetLimits }>>;
  /** @throws ChangeRefused; see `setSharedBudget` */
  setSharedBudget(change: SharedBudgetChange): Promise<Changed<SharedBudgetSet>>;
  lockKey(
    change: OfKey & { readonly forMs: number; readonly reason?: string | undefined },
  ): Promise<Changed<WithRecord<{ readonly lock: LockTime; readonly now: number }>>>;
  releaseKey(change: OfKey): Promise<Changed<WithRecord<{ readonly released: boolean }>>>;
  resetRisk(
    change: OfKey,
  ): Promise<Changed<WithRecord<{ readonly before: RiskStatus; readonly after: RiskStatus }>>>;
  endSession(
    change: OfKey & { readonly sessionId: string },
  ): Promise<Changed<WithRecord<{ readonly ended: boolean }>>>;
  /**
   * Accepts all changed tools of the server if `tool` is undefined.
   * @throws ChangeRefused if `digest` is not the current one
   */
  acceptPins(change: {
    readonly server: string;
    readonly tool?: string | undefined;
    readonly digest?: string | undefined;
  }): Promise<Changed<{ readonly accepted: readonly Accepted[] }>>;
  /** @throws ChangeRefused; see `answerEscalation` */
  answerEscalation(answer: EscalationAnswer): Promise<Changed<AnsweredEscalation>>;
}

export interface ChangesOptions extends AnsweringOptions, SharedBudgetChangesOptions {
  readonly keys: KeyStore;
  readonly budgets: Pick<BudgetStore, 'getLimits' | 'setLimits'>;
  readonly sessions: Pick<SessionStore, 'end'>;
  readonly risks: Pick<RiskStore, 'lock' | 'read' | 'release' | 'reset'>;
  readonly pins: Pick<PinStore, 'accept' | 'list'>;
  readClock(): Promise<number>;
}

export function createChanges(options: ChangesOptions): Changes {
  return {
    ...keyChanges(options),
    ...stateChanges(options),
    ...otherChanges(options),
    setSharedBudget: (change) => setSharedBudget(options, change),
  };
}

function keyChanges({
  keys,
  readClock,
}: ChangesOptions): Pick<Changes, 'createKey' | 'updateKey' | 'rotateKey' | 'revokeKey'> {
  return {
    async createKey(key) {
      const issued = await keys.create(key);
      const { record } = issued;
      const fields = recordJson(record, record.createdAt);
      return { result: issued, record: ofKey('create', 'keys create', record, fields) };
    },
    async updateKey({ reference, change }) {
      const record = await keys.update(reference, change);
      const { policyOverrides, credentials } = change;
      const fields = {
        ...(policyOverrides && { policy_overrides: policyOverrides }),
        ...(credentials && { credentials }),
      };
      return { result: record, record: ofKey('update', 'keys update', record, fields) };
    },
    async rotateKey({ reference, graceMs }) {
      const issued = await keys.rotate(reference, graceMs);
      const endsAt = (await readClock()) + graceMs;
      const fields = { grace_seconds: graceMs / 1_000 };
      return { result: { ...issued, endsAt }, record: ofKey('update', 'keys rotate', issued.record, fields) };
    },
    async revokeKey({ reference }) {
      const before = await keys.find(reference);
      const record = await keys.revoke(before.keyHash);
      const wasRevoked = before.revokedAt !== undefined;
      return {
        result: { record, wasRevoked },
        record: wasRevoked ? undefined : ofKey('delete', 'keys revoke', record),
      };
    },
  };
}

function stateChanges({
  keys,
  risks,
  budgets,
  readClock,
}: ChangesOptions): Pick<Changes, 'lockKey' | 'releaseKey' | 'resetRisk' | 'setBudget'> {
  return {
    async setBudget({ reference, limits }) {
      const record = reference === undefined ? undefined : await keys.find(reference);
      await budgets.setLimits(record?.keyHash, limits);
      const current = await budgets.getLimits(record?.keyHash);
      const fields = { limits_usd: limitsUsd(current) };
      return {
        result: { record, limits: current },
        record: { activity: 'update', operation: 'budget set', key: record, fields },
      };
    },
    async lockKey({ reference, forMs, reason }) {
      const record = await keys.find(reference);
      const cause = causeOf(reason);
      const lock = await risks.lock(record.keyHash, forMs, newOperationId(), cause);
      const now = await readClock();
      const fields = { ...lockJson(lock, now), cause };
      return { result: { record, lock, now }, record: ofKey('create', 'quarantine set', record, fields) };
    },
    async releaseKey({ reference }) {
      const record = await keys.find(reference);
      const released = await risks.release(record.keyHash);
      const fields = { was_locked: released };
      return { result: { record, released }, record: ofKey('delete', 'quarantine release', record, fields) };
    },
    async resetRisk({ reference }) {
      const record = await keys.find(reference);
      const before = await risks.read(record.keyHash);
      await risks.reset(record.keyHash, newOperationId());
      const after = await risks.read(record.keyHash);
      const fields = {
        risk_score: before.risk.riskScore,
        blocked: before.risk.blockedAt !== undefined,
        persistent_taint_flags: before.risk.persistentTaintFlags,
      };
      return { result: { record, before, after }, record: ofKey('update', 'risk reset', record, fields) };
    },
  };
}

function otherChanges(
  options: ChangesOptions,
): Pick<Changes, 'acceptPins' | 'answerEscalation' | 'endSession'> {
  const { keys, sessions, pins } = options;
  return {
    async endSession({ reference, sessionId }) {
      const record = await keys.find(reference);
      const ended = await sessions.end({ keyHash: record.keyHash, sessionId });
      const fields = { session_id: sessionId };
      return {
        result: { record, ended },
        record: ended ? ofKey('delete', 'sessions end', record, fields) : undefined,
      };
    },
    async acceptPins({ server, tool, digest }) {
      const acceptable = tool === undefined ? undefined : { tool, ...(digest !== undefined && { digest }) };
      const accepted = await pins.accept(server, acceptable);
      if (digest !== undefined && accepted.length === 0) throw await wrongDigest(pins, server, tool ?? '');
      const record: OperatorChange = {
        activity: 'update',
        operation: 'mcp pins accept',
        server,
        fields: { tools: accepted },
      };
      return { result: { accepted }, record: accepted.length === 0 ? undefined : record };
    },
    async answerEscalation(answer) {
      const answered = await answerEscalation(options, answer);
      const { escalation, approver, outcome } = answered;
      const { id, key_hash: keyHash, key_name: name, request_digest } = escalation;
      const fields = { escalation_id: id, request_digest, approver, outcome };
      const operation = `escalations ${answer.decision}`;
      return { result: answered, record: ofKey('update', operation, { keyHash, name }, fields) };
    },
  };
}

function ofKey(
  activity: OperatorChange['activity'],
  operation: string,
  { keyHash, name }: Pick<KeyRecord, 'keyHash' | 'name'>,
  fields: OperatorChange['fields'] = {},
): OperatorChange {
  return { activity, operation, key: { keyHash, name }, fields };
}

/** Returns the refusal for an operator who has read an outdated definition. */
async function wrongDigest(
  pins: Pick<PinStore, 'list'>,
  server: string,
  tool: string,
): Promise<ChangeRefused> {
  const change = (await pins.list(server)).find((pin) => pin.tool === tool)?.change;
  const now = change === undefined ? 'has not changed' : `has changed to ${change.digest}`;
  return new ChangeRefused(`${tool} on ${server} ${now}: nothing was accepted`);
}

function causeOf(reason: string | undefined): LockCause {
  const words = reason === undefined ? undefined : plainReason(maskSecrets(reason));
  return { kind: 'operator', ...(words !== undefined && { reason: words }) };
}

/** @param now Redis time in Unix ms */
export function lockJson({ ttlMs }: LockTime, now: number): Record<string, unknown> {
  return {
    lock_ttl_seconds: ttlMs === undefined ? null : Math.ceil(ttlMs / 1_000),
    locked_until: ttlMs === undefined ? null : new Date(now + ttlMs).toISOString(),
  };
}
