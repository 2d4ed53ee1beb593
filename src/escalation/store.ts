import type { Escalation, EscalationEvent } from './escalation.ts';

/** A request before it waits. */
export type NewEscalation = Omit<Escalation, 'requested_at' | 'expiry'>;

/**
 * The requests that wait for a person, of all gateways on one Redis, with their answers. Store failures throw
 * `redis_unavailable`.
 */
export interface EscalationStore {
  /** Adds a waiting request and publishes it. */
  open(request: NewEscalation, limits: WaitLimits): Promise<Opened>;
  /** Takes the request out for an answer, at most once. */
  take(id: string, answerExpiry: number): Promise<'taken' | 'late' | 'gone'>;
  /** Returns the state of each request, in the order of the ids. */
  look(ids: readonly string[]): Promise<readonly Standing[]>;
  /** Removes a request after any outcome, and publishes the outcome. */
  close(
    escalation: Escalation,
    event: EscalationEvent & { readonly type: 'escalation.resolved' },
  ): Promise<void>;

  /** Lists waiting requests for people, oldest first. */
  list(): Promise<readonly Escalation[]>;
  find(id: string): Promise<Escalation | undefined>;
  /** Stores and publishes an answer. Returns the stored answer, which is another's if that came first. */
  answer(id: string, answer: string, keptMs: number, replaced: string): Promise<string>;
  /** Unix ms by Redis's clock. */
  now(): Promise<number>;
}

export interface Standing {
  /** False if the request was taken, has expired or was lost. */
  readonly waits: boolean;
  /** The stored answer, not yet verified. */
  readonly answer: string | undefined;
}

export type Opened =
  | { readonly kind: 'opened'; readonly escalation: Escalation }
  /** No place: all are taken, the key used its share, or an equal request of the key holds one. */
  | { readonly kind: 'full' | 'over_share' | 'equal' };

export interface WaitLimits {
  readonly waitMs: number;
  /** `zsp.max_pending`. */
  readonly maxPending: number;
  /** `zsp.max_pending_per_key`. */
  readonly maxPendingPerKey: number;
}
