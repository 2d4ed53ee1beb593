import type { Escalation, EscalationEvent } from './escalation.ts';

/** A request before it is opened. */
export type NewEscalation = Omit<Escalation, 'requested_at' | 'expiry'>;

/**
 * Requests that wait for approval, and their answers, of all gateways on one Redis. Failures throw `redis_unavailable`.
 */
export interface EscalationStore {
  open(request: NewEscalation, limits: WaitLimits): Promise<Opened>;
  /** Removes the request in order to use its answer. Succeeds at most once. */
  take(id: string, answerExpiry: number): Promise<'taken' | 'late' | 'gone'>;
  /** Returns the state of each request, in the order of the ids. */
  poll(ids: readonly string[]): Promise<readonly PollState[]>;
  /** Removes a request after any outcome, and publishes the outcome. */
  close(
    escalation: Escalation,
    event: EscalationEvent & { readonly type: 'escalation.resolved' },
  ): Promise<void>;

  /** Waiting requests, oldest first. */
  list(): Promise<readonly Escalation[]>;
  find(id: string): Promise<Escalation | undefined>;
  /** Stores and publishes an answer. Returns the stored answer, which may be an earlier one. */
  answer(id: string, answer: string, keptMs: number, replaced: string): Promise<string>;
  /** Redis time in Unix ms. */
  now(): Promise<number>;
}

export interface PollState {
  /** False if the request was taken, expired or lost. */
  readonly waits: boolean;
  /** The stored answer, not yet verified. */
  readonly answer: string | undefined;
}

export type Opened =
  | { readonly kind: 'opened'; readonly escalation: Escalation }
  /** No place is free, the key has used its share, or an equal request of the key is open. */
  | { readonly kind: 'full' | 'over_share' | 'equal' };

export interface WaitLimits {
  readonly waitMs: number;
  readonly maxPending: number;
  readonly maxPendingPerKey: number;
}
