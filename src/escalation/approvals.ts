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
  /** An answer that nobody heard is found after so long. */
  readonly lookEveryMs?: number;
}

export interface ApprovalsObserver {
  opened(asked: Escalation): void;
  resolved(asked: Escalation, outcome: EscalationOutcome, approver: string | undefined): void;
  /** So many waited, of all keys or of this one, that this request was not let to. */
  refused(reason: 'full' | 'over_share'): void;
  /** Somebody sent an answer that does not count; the request waits on. */
  answerRefused(asked: Escalation, fault: AnswerFault): void;
  /** Redis could not be told that a request is over; it forgets it by itself. */
  notClosed(cause: unknown): void;
}

export type ApprovalRequest = Omit<NewEscalation, 'id' | 'nonce'>;

/** Asks people, and waits for them. */
export interface Approvals {
  /** @throws GatewayError redis_unavailable: where Redis cannot be asked, nobody has answered */
  ask(request: ApprovalRequest, wait: Wait): Promise<ApprovalResult>;
  /** An answer was published. */
  heard(id: string, answer: string): void;
  close(): void;
}

interface Waiting {
  readonly asked: Escalation;
  readonly until: number;
  /** The first call counts. */
  readonly settle: (result: ApprovalResult | { readonly failure: unknown }) => void;
  /** Known to be no answer: told of once. */
  refused: string | undefined;
  isTaking: boolean;
}

const LOOK_EVERY_MS = 1_000;
const NONCE_BYTES = 16;

/**
 * Requests that wait for a person. An answer comes by Pub/Sub, or is found where it is kept; it counts if it is signed,
 * meant for this request, in time, and the first: who takes the request out of Redis has the only answer to it.
 */
export function createApprovals(deps: ApprovalsDeps): Approvals {
  const { store, secret, observer } = deps;
  const lookEveryMs = deps.lookEveryMs ?? LOOK_EVERY_MS;
  const equals = createEqualRequests(deps.maxPendingPerKey);
  const waiting = new Map<string, Waiting>();
  /** The last answer to each request that people can read in Redis, but that is not among those waiting yet. */
  const early = new Map<string, string | undefined>();
  let timer: NodeJS.Timeout | undefined;

  function received(one: Waiting, answer: string): void {
    if (one.isTaking || answer === one.refused) return;
    const read = readApproval(answer, one.asked, secret);
    if ('fault' in read) refuse(one, answer, read.fault);
    else void take(one, answer, read.approval);
  }

  function refuse(one: Waiting, answer: string, fault: AnswerFault): void {
    one.refused = answer;
    observer.answerRefused(one.asked, fault);
  }

  async function take(one: Waiting, answer: string, { decision, approver, expiry }: Approval): Promise<void> {
    const { id } = one.asked;
    one.isTaking = true;
    try {
      const taken = await store.take(id, Math.min(expiry, one.asked.expiry));
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

  /** Pub/Sub loses what nobody hears. */
  async function look(): Promise<void> {
    const all = [...waiting.values()];
    try {
      const standings = await store.look(all.map(({ asked }) => asked.id));
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

  async function answerTo(asked: Escalation, wait: Wait): Promise<ApprovalResult> {
    let onGone: (() => void) | undefined;
    let lateTimer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<ApprovalResult>((resolve, reject) => {
        const settle: Waiting['settle'] = (result) => {
          if ('failure' in result) reject(redisUnavailable(result.failure));
          else resolve(result);
        };
        const one: Waiting = { asked, until: wait.until, settle, refused: undefined, isTaking: false };
        waiting.set(asked.id, one);
        lookAgain();
        const answer = early.get(asked.id);
        early.delete(asked.id);
        if (answer !== undefined) received(one, answer);
        onGone = () => settle({ kind: 'withdrawn' });
        if (wait.gone.aborted) onGone();
        wait.gone.addEventListener('abort', onGone);
        lateTimer = setTimeout(() => {
          // What came in time is still being taken.
          if (!one.isTaking) settle({ kind: 'timeout' });
        }, wait.until - performance.now());
      });
    } finally {
      waiting.delete(asked.id);
      clearTimeout(lateTimer);
      if (onGone !== undefined) wait.gone.removeEventListener('abort', onGone);
    }
  }

  async function resolved(asked: Escalation, outcome: EscalationOutcome, approver?: string): Promise<void> {
    observer.resolved(asked, outcome, approver);
    try {
      const told = { type: 'escalation.resolved', id: asked.id, outcome } as const;
      await store.close(asked, approver === undefined ? told : { ...told, approver });
    } catch (cause) {
      observer.notClosed(cause);
    }
  }

  /** While another gateway has the place of an equal request, it is asked for again until the time is over. */
  async function askInRedis(request: ApprovalRequest, wait: Wait): Promise<ApprovalResult> {
    const made = { ...request, id: randomUUID(), nonce: randomBytes(NONCE_BYTES).toString('base64url') };
    for (;;) {
      const waitMs = Math.floor(wait.until - performance.now());
      if (wait.gone.aborted) return { kind: 'withdrawn' };
      if (waitMs <= 0) return { kind: 'timeout' };
      const opened = await open(made, waitMs);
      if (opened.kind === 'opened') return resultOf(opened.asked, wait);
      if (opened.kind !== 'equal') return { kind: opened.kind };
      await pause(Math.min(lookEveryMs, waitMs), undefined, { signal: wait.gone }).catch(() => undefined);
    }
  }

  async function resultOf(asked: Escalation, wait: Wait): Promise<ApprovalResult> {
    observer.opened(asked);
    try {
      const result = await answerTo(asked, wait);
      await resolved(asked, result.kind, 'approver' in result ? result.approver : undefined);
      return result;
    } catch (failure) {
      void resolved(asked, 'failed');
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
    heard(id, answer) {
      const one = waiting.get(id);
      if (one !== undefined) received(one, answer);
      else if (early.has(id)) early.set(id, answer);
    },
    close() {
      clearTimeout(timer);
    },
  };
}

/** Redis was restarted without its data, or somebody took the record out. */
function lost() {
  return { failure: new Error('Redis has lost a request that waits for an approval') } as const;
}
