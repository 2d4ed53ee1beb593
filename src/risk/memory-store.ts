import type { LockCause } from './lock-cause.ts';
import { decayedScore, MAX_SCORE, type Lock, type RiskStatus } from './profile.ts';
import { DEFAULT_LOCK_MS, lockOnly, MEMORY, toScoring, type Scoring } from './scoring.ts';
import type { RiskEvent, RiskOutcome, RiskSettings, RiskStore } from './store.ts';

interface Profile {
  score: number;
  scoredAt: number | undefined;
  blocks: number;
  escalations: number;
  flags: string[];
  blockedAt: number | undefined;
  lockedUntil: number;
  lockCause: LockCause | undefined;
  expiresAt: number;
  /** Score times by finding, oldest first. */
  readonly findings: Map<string, number>;
  readonly knownFlags: Map<string, number>;
  readonly operations: Map<string, RiskOutcome | undefined>;
}

const MAX_OPERATIONS = 1_000;

export function createMemoryRiskStore({
  settings,
  now = Date.now,
}: {
  readonly settings: RiskSettings;
  readonly now?: () => number;
}): RiskStore {
  const profiles = new Map<string, Profile>();

  function profileOf(keyHash: string): Profile {
    const known = profiles.get(keyHash) ?? emptyProfile();
    profiles.set(keyHash, known);
    if (known.expiresAt <= now()) forget(known);
    return known;
  }

  function record(event: RiskEvent): RiskOutcome {
    const profile = profileOf(event.keyHash);
    const earlier = profile.operations.get(event.operationId);
    if (earlier !== undefined) return earlier;
    const scoring = toScoring(event, settings);
    const outcome = settings.enabled ? score(profile, scoring) : lockOnly(scoring.ownLockMs);
    if (outcome.lock !== undefined) setLock(profile, now() + outcome.lock.ttlMs, scoring.cause);
    withRoom(profile.operations, MAX_OPERATIONS).set(event.operationId, outcome);
    return outcome;
  }

  function score(profile: Profile, scoring: Scoring): RiskOutcome {
    const time = now();
    const newFlag = noteFlag(profile, scoring, time);
    const fresh = noteFindings(profile, scoring.findings, time);
    const scored = fresh && (newFlag || !scoring.flagScores);
    if (scored || !scoring.flagScores) {
      const decayed = decayedScore(profile.score, profile.scoredAt, time);
      profile.score = Math.min(MAX_SCORE, decayed + (scored ? scoring.points : 0));
      profile.scoredAt = time;
    }
    if (scoring.counter === 'total_policy_blocks') profile.blocks++;
    if (scoring.counter === 'total_escalations') profile.escalations++;

    const riskScore = decayedScore(profile.score, profile.scoredAt, time);
    const over = (threshold: number): boolean => scored && riskScore > threshold;
    const autoLockMs = over(settings.autoQuarantineThreshold) ? DEFAULT_LOCK_MS : 0;
    const lockMs = Math.max(scoring.ownLockMs, autoLockMs);
    const blocked = over(settings.permanentBlockThreshold) && profile.blockedAt === undefined;
    if (blocked) profile.blockedAt = time;
    const permanent = settings.profileTtlMs === 0 || profile.blockedAt !== undefined;
    profile.expiresAt = permanent ? Infinity : time + Math.max(settings.profileTtlMs, lockMs);
    return { riskScore, scored, blocked, ...(lockMs > 0 && { lock: { ttlMs: lockMs } }) };
  }

  /** Records a flag. Returns true if it is new in its session. */
  function noteFlag(profile: Profile, { flag, flagMemoryId }: Scoring, time: number): boolean {
    if (flag === undefined || flagMemoryId === undefined) return false;
    const isNew = (profile.knownFlags.get(flagMemoryId) ?? 0) <= time;
    withRoom(profile.knownFlags, MEMORY.maxKnownFlags).set(flagMemoryId, time + settings.sessionTtlMs);
    if (isNew && profile.flags.length < MEMORY.maxTaintFlags && !profile.flags.includes(flag)) {
      profile.flags.push(flag);
    }
    return isNew;
  }

  function status(keyHash: string): RiskStatus {
    const profile = profileOf(keyHash);
    const lock = lockOf(profile, now());
    return {
      risk: {
        riskScore: decayedScore(profile.score, profile.scoredAt, now()),
        totalPolicyBlocks: profile.blocks,
        totalEscalations: profile.escalations,
        totalSpendNanoUsd: 0,
        persistentTaintFlags: [...profile.flags],
        sessionCount: 0,
        quarantineActive: lock !== undefined,
        ...(profile.blockedAt === undefined ? {} : { blockedAt: profile.blockedAt }),
      },
      ...(lock && { lock }),
    };
  }

  return {
    record: (event) => Promise.resolve(record(event)),
    read: (keyHash) => Promise.resolve(status(keyHash)),
    reset(keyHash, operationId) {
      const profile = profileOf(keyHash);
      if (!profile.operations.has(operationId)) reset(profile);
      withRoom(profile.operations, MAX_OPERATIONS).set(operationId, undefined);
      return Promise.resolve();
    },
    lock(keyHash, ttlMs, _operationId, cause) {
      const profile = profileOf(keyHash);
      setLock(profile, now() + ttlMs, cause);
      return Promise.resolve({ ttlMs: profile.lockedUntil - now() });
    },
    release(keyHash) {
      const profile = profileOf(keyHash);
      const wasLocked = lockOf(profile, now()) !== undefined;
      profile.lockedUntil = 0;
      return Promise.resolve(wasLocked);
    },
  };
}

function emptyProfile(): Profile {
  return {
    score: 0,
    scoredAt: undefined,
    blocks: 0,
    escalations: 0,
    flags: [],
    blockedAt: undefined,
    lockedUntil: 0,
    lockCause: undefined,
    expiresAt: Infinity,
    findings: new Map(),
    knownFlags: new Map(),
    operations: new Map(),
  };
}

function reset(profile: Profile): void {
  Object.assign(profile, { score: 0, scoredAt: undefined, flags: [], blockedAt: undefined });
  profile.findings.clear();
}

/** Clears an expired profile. Its lock and findings expire separately. */
function forget(profile: Profile): void {
  Object.assign(profile, { score: 0, scoredAt: undefined, flags: [], blocks: 0, escalations: 0 });
  profile.expiresAt = Infinity;
}

function lockOf({ lockedUntil, lockCause: cause }: Profile, time: number): Lock | undefined {
  if (lockedUntil <= time) return undefined;
  return { ttlMs: lockedUntil - time, ...(cause !== undefined && { cause }) };
}

function setLock(profile: Profile, until: number, cause: LockCause | undefined): void {
  if (profile.lockedUntil >= until) return;
  profile.lockedUntil = until;
  profile.lockCause = cause;
}

/** Records findings. Returns true if one is new, or if there are none. */
function noteFindings(profile: Profile, ids: readonly string[], time: number): boolean {
  const known = (id: string): boolean => (profile.findings.get(id) ?? -Infinity) > time - MEMORY.findingMs;
  const fresh = ids.filter((id) => !known(id));
  for (const id of fresh) {
    profile.findings.delete(id);
    withRoom(profile.findings, MEMORY.maxFindings).set(id, time);
  }
  return ids.length === 0 || fresh.length > 0;
}

function withRoom<Value>(map: Map<string, Value>, maxEntries: number): Map<string, Value> {
  const oldest = map.size >= maxEntries ? map.keys().next() : undefined;
  if (oldest?.done === false) map.delete(oldest.value);
  return map;
}
