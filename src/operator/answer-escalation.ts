import { setTimeout as delay } from 'node:timers/promises';
import { readApproval, signApproval, type ApprovalDecision } from '../escalation/approval.ts';
import type { Escalation, EscalationEvent, EscalationOutcome } from '../escalation/escalation.ts';
import type { EscalationStore } from '../escalation/redis-store.ts';
import { ChangeRefused } from './changed.ts';

/** Maximum wait for a gateway to take an answer. Gateways are notified immediately, and also poll every second. */
const TAKEN_WITHIN_MS = 4_000;

export interface AnsweringOptions {
  readonly escalations: Pick<EscalationStore, 'answer' | 'find' | 'now' | 'poll'>;
  readonly watchEscalations: WatchEscalations;
  /** `zsp.escalation_secret`. */
  readonly secret: string;
}

/** Subscribes to approval events, some of which may be missed. Returns an unsubscribe function. */
export type WatchEscalations = (onEvent: (event: EscalationEvent) => void) => Promise<() => void>;

export interface EscalationAnswer {
  readonly id: string;
  readonly decision: ApprovalDecision;
  readonly approver: string;
}

export interface AnsweredEscalation {
  readonly escalation: Escalation;
  readonly approver: string;
  readonly outcome: EscalationOutcome | 'taken';
}

/**
 * Signs and stores an answer, and waits until a gateway has taken the answer.
 * @throws ChangeRefused if the request is not pending or already answered, if answers cannot be signed, or if no
 * gateway takes the answer
 */
export async function answerEscalation(
  { escalations, watchEscalations, secret }: AnsweringOptions,
  { id, decision, approver }: EscalationAnswer,
): Promise<AnsweredEscalation> {
  const { promise: resolution, resolve } = Promise.withResolvers<Resolved>();
  // Subscribes before the lookup, so that no decision in between is missed.
  const unsubscribe = await watchEscalations((event) => {
    if (event.type === 'escalation.resolved' && event.id === id) resolve(event);
  });
  try {
    const escalation = await escalations.find(id);
    if (escalation === undefined) throw notWaiting(id);
    if (secret === '')
      throw new ChangeRefused(
        'zsp.escalation_secret is empty, but answers must be signed. Set it to the secret that the gateway uses',
      );
    const { nonce, key_hash, request_digest, expiry } = escalation;
    const signed = signApproval({ id, nonce, key_hash, decision, approver, expiry, request_digest }, secret);
    await storeAnswer(escalations, escalation, JSON.stringify(signed), secret);
    const resolved = await Promise.race([resolution, delay(TAKEN_WITHIN_MS, undefined, { ref: false })]);
    const outcome =
      resolved === undefined
        ? await takenWithoutEvent(escalations, id)
        : outcomeFor(resolved, { decision, approver });
    return { escalation, approver, outcome };
  } finally {
    unsubscribe();
  }
}

async function takenWithoutEvent(escalations: AnsweringOptions['escalations'], id: string): Promise<'taken'> {
  const [state] = await escalations.poll([id]);
  if (state?.waits === false) return 'taken';
  throw new ChangeRefused(
    'no gateway took the answer, and the request is still waiting. Check that a gateway is running with the same zsp.escalation_secret as this configuration',
  );
}

function outcomeFor(
  { outcome, approver: answeredBy }: Resolved,
  { decision, approver }: Pick<EscalationAnswer, 'approver' | 'decision'>,
): EscalationOutcome {
  const wanted = decision === 'approve' ? 'approved' : 'denied';
  if (outcome !== wanted)
    throw new ChangeRefused(`the answer came too late: the request is already ${outcome}`);
  // A gateway took the other answer before `storeAnswer` looked for it.
  if (answeredBy !== undefined && answeredBy !== approver) throw answeredBefore(answeredBy, decision);
  return outcome;
}

type Resolved = Extract<EscalationEvent, { readonly type: 'escalation.resolved' }>;

export function notWaiting(reference: string): ChangeRefused {
  return new ChangeRefused(
    `no request ${reference} is waiting: it was answered, its client left, or it timed out. See gateway escalations list`,
  );
}

function answeredBefore(approver: string, decision: ApprovalDecision): ChangeRefused {
  return new ChangeRefused(
    `${approver} has already ${decision === 'approve' ? 'approved' : 'denied'} this request`,
  );
}

/** Stores the answer unless a valid answer exists. Anyone with access to Redis could store an invalid answer. */
async function storeAnswer(
  escalations: AnsweringOptions['escalations'],
  escalation: Escalation,
  signed: string,
  secret: string,
): Promise<void> {
  const now = await escalations.now();
  const keptMs = Math.max(1, escalation.expiry - now);
  const first = await escalations.answer(escalation.id, signed, keptMs, '');
  if (first === signed) return;
  const read = readApproval(first, escalation, secret);
  if ('approval' in read && read.approval.expiry > now) {
    const { decision, approver } = read.approval;
    throw answeredBefore(approver, decision);
  }
  if ((await escalations.answer(escalation.id, signed, keptMs, first)) !== signed)
    throw new ChangeRefused('another person answered at the same time. See gateway escalations list');
}
