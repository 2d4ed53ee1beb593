import { randomUUID } from 'node:crypto';
import type { SessionName } from '../../src/conversation/session-name.ts';
import type { OpenResult, SessionLimits, SessionStore, Step } from '../../src/checks/session/store.ts';

export interface StoreUnderTest {
  readonly store: SessionStore;
  /** Adds this spend to a session. */
  spend(name: SessionName, nanoUsd: number): Promise<void> | void;
  /** Advances the clock. */
  wait(ms: number): Promise<void> | void;
}

export interface ContractOptions {
  readonly ttlMs?: number;
  readonly maxPerKey?: number;
  readonly maxLive?: number;
}

export const DAY_MS = 86_400_000;

export function newKeyHash(): string {
  return `sha256:${randomUUID()}`;
}

/** A call in one session, with its own operation. */
export function call(name: SessionName, limits: Partial<SessionLimits> = {}): Step & SessionLimits {
  return {
    ...name,
    operationId: randomUUID(),
    maxSteps: limits.maxSteps,
    budgetNanoUsd: limits.budgetNanoUsd,
  };
}

/** The session of an admitted call. */
export function opened(result: OpenResult) {
  if (result.kind !== 'opened') throw new Error(`the store said ${result.kind}`);
  return result.session;
}

/** A new key's session, with its first call open. */
export async function openNew(store: SessionStore, limits: Partial<SessionLimits> = {}) {
  const name = newName();
  const step = call(name, limits);
  return { name, step, createdAt: opened(await store.open(step)).createdAt };
}

/** A whole call, which finds its session answered if it gives its first request. */
export async function makeCall(store: SessionStore, step: Step & SessionLimits, firstRequest?: string) {
  const { createdAt } = opened(await store.open(step));
  if (firstRequest !== undefined) await store.noteAnswered(step, createdAt, firstRequest);
  await store.finish(step, createdAt);
}

export function countOf(results: readonly OpenResult[], kind: OpenResult['kind']): number {
  return results.filter((result) => result.kind === kind).length;
}

/** Of a session of a new key. */
export function newName(): SessionName {
  return { keyHash: newKeyHash(), sessionId: 'one' };
}

export type StartStore = (options?: ContractOptions) => StoreUnderTest;

/** A store with the usual settings, unless a test sets others. */
export function starting(create: (options: Required<ContractOptions>) => StoreUnderTest): StartStore {
  return ({ ttlMs = DAY_MS, maxPerKey = 0, maxLive = 10_000 } = {}) => create({ ttlMs, maxPerKey, maxLive });
}
