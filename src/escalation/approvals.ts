import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { redisUnavailable } from '../redis/unavailable.ts';
import type { Wait } from '../pipeline/exchange.ts';
import { readApproval, type Approval, type AnswerFault } from './approval.ts';
import { createEqualRequests } from './equal-requests.ts';
import type { ApprovalResult, Escalation, EscalationOutcome } from './escalation.ts';
import type { EscalationStore, NewEscalation, Opened } from './redis-store.ts';

export interface ApprovalsDeps {
  readonly store: EscalationStore;
  readonly secret: string;
  readonly maxPending: number;
  readonly maxPendingPerKey: number;
  readonly observer: ApprovalsObserver;
  /** Polling interval for answers whose Pub/Sub message was lost. */
  readonly pollEveryMs?: number;
}

export interface ApprovalsObserver {
  opened(escalation: Escalation): void;
  resolved(escalation: Escalation, outcome: EscalationOutcome, approver: string | undefined): void;
  /** Called when a request was refused because too many were waiting, in total or for its key. */
  refused(reason: 'full' | 'over_share'): void;
  /** Called for an invalid answer. The request keeps waiting. */
  answerRefused(escalation: Escalation, fault: AnswerFault): void;
  /** Called when the outcome could not be reported to Redis, where the record then expires. */
  notClosed(cause: unknown): void;
}

export type ApprovalRequest = Omit<NewEscalation, 'id' | 'nonce'>;

export interface Approvals {
  /** @throws GatewayError redis_unavailable */
  ask(request: ApprovalRequest, wait: Wait): Promise<ApprovalResult>;
  handleAnswer(id: string, answer: string): void;
  close(): void;
}

interface Waiting {
  readonly escalation: Escalation;
  readonly until: number;
  /** Only the first call has an effect. */
  readonly settle: (result: ApprovalResult | { readonly failure: unknown }) => void;
  /** The last refused answer, which is reported only once. */
  refused: string | undefined;
  isTaking: boolean;
}

const POLL_EVERY_MS = 1_000;
const NONCE_BYTES = 16;

/**
 * Manages requests that wait for approval. Answers arrive by Pub/Sub or are polled from Redis. An answer is used if it
 * is signed, refers to the request, is in time and is the first such answer. Only the gateway that takes the request
 * from Redis may use the answer.
 */
export function createApprovals(deps: ApprovalsDeps): Approvals {
  const { store, secret, observer } = deps;
  const pollEveryMs = deps.pollEveryMs ?? POLL_EVERY_MS;
  const inTurn = createEqualRequests(deps.maxPendingPerKey);
  const waiting = new Map<string, Waiting>();
  /** Last answer by request id, for requests that are in Redis but not yet in `waiting`. */
  const early = new Map<string, string | undefined>();
  let timer: NodeJS.Timeout | undefined;

  function onAnswer(pending: Waiting, answer: string): void {
    if (pending.isTaking || answer === pending.refused) return;
    const read = readApproval(answer, pending.escalation, secret);
    if ('fault' in read) refuse(pending, answer, read.fault);
    else void take(pending, answer, read.approval);
  }

  function refuse(pending: Waiting, answer: string, fault: AnswerFault): void {
    pending.refused = answer;
    observer.answerRefused(pending.escalation, fault);
  }

  async function take(
    pending: Waiting,
    answer: string,
    { decision, approver, expiry }: Approval,
  ): Promise<void> {
    const { id } = pending.escalation;
    pending.isTaking = true;
    try {
      const taken = await store.take(id, Math.min(expiry, pending.escalation.expiry));
      if (taken === 'taken') {
        pending.settle({ kind: decision === 'approve' ? 'approved' : 'denied', id, approver });
      } else if (taken === 'gone') pending.settle({ kind: 'timeout' });
      else refuse(pending, answer, 'expired');
    } catch (failure) {
      pending.settle({ failure });
    }
    pending.isTaking = false;
    if (performance.now() >= pending.until) pending.settle({ kind: 'timeout' });
  }

  async function poll(): Promise<void> {
    const all = [...waiting.values()];
    try {
      const states = await store.poll(all.map(({ escalation }) => escalation.id));
      for (const [index, { waits, answer }] of states.entries()) {
        const pending = all[index];
        if (pending === undefined) continue;
        if (answer !== undefined) onAnswer(pending, answer);
        else if (!waits && !pending.isTaking && performance.now() < pending.until - pollEveryMs)
          pending.settle(lost());
      }
    } catch (failure) {
      for (const pending of all) pending.settle({ failure });
    }
  }

  function pollAgain(): void {
    timer ??= setTimeout(() => {
      void poll().finally(() => {
        timer = undefined;
        if (waiting.size > 0) pollAgain();
      });
    }, pollEveryMs);
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
        const pending: Waiting = {
          escalation,
          until: wait.until,
          settle,
          refused: undefined,
          isTaking: false,
        };
        waiting.set(escalation.id, pending);
        pollAgain();
        const answer = early.get(escalation.id);
        early.delete(escalation.id);
        if (answer !== undefined) onAnswer(pending, answer);
        onGone = () => settle({ kind: 'withdrawn' });
        if (wait.gone.aborted) onGone();
        wait.gone.addEventListener('abort', onGone);
        lateTimer = setTimeout(() => {
          // Redis may still be processing an answer that arrived in time.
          if (!pending.isTaking) settle({ kind: 'timeout' });
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

  /** Opens the request in Redis. Retries while an equal request waits in another process, until the wait ends. */
  async function askInRedis(request: ApprovalRequest, wait: Wait): Promise<ApprovalResult> {
    const made = { ...request, id: randomUUID(), nonce: randomBytes(NONCE_BYTES).toString('base64url') };
    for (;;) {
      const waitMs = Math.floor(wait.until - performance.now());
      if (wait.gone.aborted) return { kind: 'withdrawn' };
      if (waitMs <= 0) return { kind: 'timeout' };
      const opened = await open(made, waitMs);
      if (opened.kind === 'opened') return resultOf(opened.escalation, wait);
      if (opened.kind !== 'equal') return { kind: opened.kind };
      await pause(Math.min(pollEveryMs, waitMs), undefined, { signal: wait.gone }).catch(() => undefined);
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
      const result = await inTurn(name, wait, () => askInRedis(request, wait));
      if (result.kind === 'full' || result.kind === 'over_share') observer.refused(result.kind);
      return result;
    },
    handleAnswer(id, answer) {
      const pending = waiting.get(id);
      if (pending !== undefined) onAnswer(pending, answer);
      else if (early.has(id)) early.set(id, answer);
    },
    close() {
      clearTimeout(timer);
    },
  };
}

/** Redis restarted without its data, or the record was removed. */
function lost() {
  return { failure: new Error('Redis has lost a request that is waiting for approval') } as const;
}
