import type { Escalation, EscalationEvent } from './escalation.ts';

/** What is known of a request before it waits. */
export type NewEscalation = Omit<Escalation, 'requested_at' | 'expiry'>;

/**
 * The requests that wait for a person, of all gateways on one Redis, and the answers to them. A failure of the store throws
 * `redis_unavailable`.
 */
export interface EscalationStore {
  /** Lets a request wait, and publishes it. */
  open(request: NewEscalation, limits: WaitLimits): Promise<Opened>;
  /** Takes it away for an answer, at most once. */
  take(id: string, answerExpiry: number): Promise<'taken' | 'late' | 'gone'>;
  /** How they stand, in the order of the ids. */
  look(ids: readonly string[]): Promise<readonly Standing[]>;
  /** Clears up after a request, whatever became of it, and publishes that. */
  close(asked: Escalation, event: EscalationEvent & { readonly type: 'escalation.resolved' }): Promise<void>;

  /** For people: those that wait now, the one that has waited longest first. */
  list(): Promise<readonly Escalation[]>;
  find(id: string): Promise<Escalation | undefined>;
  /** Keeps and publishes an answer; returns the one that stays, another's where that was first. */
  answer(id: string, answer: string, keptMs: number, replaced: string): Promise<string>;
  /** Unix ms by Redis's clock. */
  now(): Promise<number>;
}

export interface Standing {
  /** False where nobody can answer it any more: it was taken, is too late, or Redis has lost it. */
  readonly waits: boolean;
  /** What is kept as its answer, unjudged. */
  readonly answer: string | undefined;
}

export type Opened =
  | { readonly kind: 'opened'; readonly asked: Escalation }
  /**
   * There is no place: all are taken, the key has its share of them, or an equal request of the key has one.
   */
  | { readonly kind: 'full' | 'over_share' | 'equal' };

export interface WaitLimits {
  readonly waitMs: number;
  /** `zsp.max_pending`. */
  readonly maxPending: number;
  /** `zsp.max_pending_per_key`. */
  readonly maxPendingPerKey: number;
}
