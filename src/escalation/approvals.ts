import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { redisUnavailable } from '../redis/unavailable.ts';
import type { Wait } from '../pipeline/patience.ts';
import { readApproval, type Approval, type AnswerFault } from './approval.ts';
import { createEqualRequests } from './equal-requests.ts';
import type { ApprovalResult, Escalation, EscalationOutcome } from './escalation.ts';
import type { EscalationStore, NewEscalation, Opened } from './store.ts';

export interface ApprovalsDeps {
  readonly store: EscalationStore;
  /** `zsp.escalation_secret`. */
  readonly secret: string;
  /** `zsp.max_pending`. */
  readonly maxPending: number;
  /** `zsp.max_pending_per_key`. */
  readonly maxPendingPerKey: number;
  readonly observer: ApprovalsObserver;
  /** Interval of the search for answers that Pub/Sub lost. */
  readonly lookEveryMs?: number;
}

export interface ApprovalsObserver {
  opened(escalation: Escalation): void;
  resolved(escalation: Escalation, outcome: EscalationOutcome, approver: string | undefined): void;
  /** Called when the limit of waiting requests, in total or for this key, refused a request. */
  refused(reason: 'full' | 'over_share'): void;
  /** Called for an invalid answer; the request keeps waiting. */
  answerRefused(escalation: Escalation, fault: AnswerFault): void;
  /** Called when Redis did not learn that a request is decided. The record then expires. */
  notClosed(cause: unknown): void;
}

export type ApprovalRequest = Omit<NewEscalation, 'id' | 'nonce'>;

/** Asks people for approvals and waits for their answers. */
export interface Approvals {
  /** @throws GatewayError redis_unavailable */
  ask(request: ApprovalRequest, wait: Wait): Promise<ApprovalResult>;
  /** Handles a published answer. */
  handleAnswer(id: string, answer: string): void;
  close(): void;
}

interface Waiting {
  readonly escalation: Escalation;
  readonly until: number;
  /** Settles the request; only the first call counts. */
  readonly settle: (result: ApprovalResult | { readonly failure: unknown }) => void;
  /** The last answer that was refused; reported once. */
  refused: string | undefined;
  isTaking: boolean;
}

const LOOK_EVERY_MS = 1_000;
const NONCE_BYTES = 16;

/**
 * Keeps the requests that wait for a person. An answer arrives by Pub/Sub or is found in Redis. It counts if
 * it is signed, names this request, is in time and is the first: only the gateway that takes the request out
 * of Redis may use its answer.
 */
export function createApprovals(deps: ApprovalsDeps): Approvals {
  const { store, secret, observer } = deps;
  const lookEveryMs = deps.lookEveryMs ?? LOOK_EVERY_MS;
  const equals = createEqualRequests(deps.maxPendingPerKey);
  const waiting = new Map<string, Waiting>();
  /** Last answer to each request that is visible in Redis before it is added to `waiting`. */
  const early = new Map<string, string | undefined>();
  let timer: NodeJS.Timeout | undefined;

  function received(one: Waiting, answer: string): void {
    if (one.isTaking || answer === one.refused) return;
    const read = readApproval(answer, one.escalation, secret);
    if ('fault' in read) refuse(one, answer, read.fault);
    else void take(one, answer, read.approval);
  }

  function refuse(one: Waiting, answer: string, fault: AnswerFault): void {
    one.refused = answer;
    observer.answerRefused(one.escalation, fault);
  }

  async function take(one: Waiting, answer: string, { decision, approver, expiry }: Approval): Promise<void> {
    const { id } = one.escalation;
    one.isTaking = true;
    try {
      const taken = await store.take(id, Math.min(expiry, one.escalation.expiry));
      if (taken === 'taken') {
        one.settle({ kind: decision === 'approve' ? 'approved' : 'denied', id, approver });
      } else if (taken === 'gone') one.settle({ kind: 'timeout' });
      else refuse(one, answer, 'expired');
    } catch (failure) {
      one.settle({ failure });
    }
    one.isTaking = false;
    if (performance.now() >= one.until) one.settle({ kind: 'timeout' });
  }

  /** Finds answers whose Pub/Sub message was lost. */
  async function look(): Promise<void> {
    const all = [...waiting.values()];
    try {
      const standings = await store.look(all.map(({ escalation }) => escalation.id));
      for (const [index, { waits, answer }] of standings.entries()) {
        const one = all[index];
        if (one === undefined) continue;
        if (answer !== undefined) received(one, answer);
        else if (!waits && !one.isTaking && performance.now() < one.until - lookEveryMs) one.settle(lost());
      }
    } catch (failure) {
      for (const one of all) one.settle({ failure });
    }
  }

  function lookAgain(): void {
    timer ??= setTimeout(() => {
      void look().finally(() => {
        timer = undefined;
        if (waiting.size > 0) lookAgain();
      });
    }, lookEveryMs);
  }

  async function open(made: NewEscalation, waitMs: number): Promise<Opened> {
    const { maxPending, maxPendingPerKey } = deps;
    early.set(made.id, undefined);
    try {
      const opened = await store.open(made, { waitMs, maxPending, maxPendingPerKey });
      if (opened.kind !== 'opened') early.delete(made.id);
      return opened;
    } catch (failure) {
      early.delete(made.id);
      throw failure;
    }
  }

  async function answerTo(escalation: Escalation, wait: Wait): Promise<ApprovalResult> {
    let onGone: (() => void) | undefined;
    let lateTimer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<ApprovalResult>((resolve, reject) => {
        const settle: Waiting['settle'] = (result) => {
          if ('failure' in result) reject(redisUnavailable(result.failure));
          else resolve(result);
        };
        const one: Waiting = { escalation, until: wait.until, settle, refused: undefined, isTaking: false };
        waiting.set(escalation.id, one);
        lookAgain();
        const answer = early.get(escalation.id);
        early.delete(escalation.id);
        if (answer !== undefined) received(one, answer);
        onGone = () => settle({ kind: 'withdrawn' });
        if (wait.gone.aborted) onGone();
        wait.gone.addEventListener('abort', onGone);
        lateTimer = setTimeout(() => {
          // An answer that came in time may still be in progress.
          if (!one.isTaking) settle({ kind: 'timeout' });
        }, wait.until - performance.now());
      });
    } finally {
      waiting.delete(escalation.id);
      clearTimeout(lateTimer);
      if (onGone !== undefined) wait.gone.removeEventListener('abort', onGone);
    }
  }

  async function resolved(
    escalation: Escalation,
    outcome: EscalationOutcome,
    approver?: string,
  ): Promise<void> {
    observer.resolved(escalation, outcome, approver);
    try {
      const event = { type: 'escalation.resolved', id: escalation.id, outcome } as const;
      await store.close(escalation, approver === undefined ? event : { ...event, approver });
    } catch (cause) {
      observer.notClosed(cause);
    }
  }

  /**
   * Opens the request in Redis. While another gateway holds the place of an equal request, retries until the
   * wait ends.
   */
  async function askInRedis(request: ApprovalRequest, wait: Wait): Promise<ApprovalResult> {
    const made = { ...request, id: randomUUID(), nonce: randomBytes(NONCE_BYTES).toString('base64url') };
    for (;;) {
      const waitMs = Math.floor(wait.until - performance.now());
      if (wait.gone.aborted) return { kind: 'withdrawn' };
      if (waitMs <= 0) return { kind: 'timeout' };
      const opened = await open(made, waitMs);
      if (opened.kind === 'opened') return resultOf(opened.escalation, wait);
      if (opened.kind !== 'equal') return { kind: opened.kind };
      await pause(Math.min(lookEveryMs, waitMs), undefined, { signal: wait.gone }).catch(() => undefined);
    }
  }

  async function resultOf(escalation: Escalation, wait: Wait): Promise<ApprovalResult> {
    observer.opened(escalation);
    try {
      const result = await answerTo(escalation, wait);
      await resolved(escalation, result.kind, 'approver' in result ? result.approver : undefined);
      return result;
    } catch (failure) {
      void resolved(escalation, 'failed');
      throw failure;
    }
  }

  return {
    async ask(request, wait) {
      const name = `${request.key_hash} ${request.request_digest}`;
      const result = await equals.inTurn(name, wait, () => askInRedis(request, wait));
      if (result.kind === 'full' || result.kind === 'over_share') observer.refused(result.kind);
      return result;
    },
    handleAnswer(id, answer) {
      const one = waiting.get(id);
      if (one !== undefined) received(one, answer);
      else if (early.has(id)) early.set(id, answer);
    },
    close() {
      clearTimeout(timer);
    },
  };
}

/** Redis was restarted without its data, or the record was removed. */
function lost() {
  return { failure: new Error('Redis has lost a request that waits for an approval') } as const;
}
