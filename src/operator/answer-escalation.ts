import { setTimeout as delay } from 'node:timers/promises';
import { readApproval, signApproval, type ApprovalDecision } from '../escalation/approval.ts';
import type { Escalation, EscalationEvent, EscalationOutcome } from '../escalation/escalation.ts';
import type { EscalationStore } from '../escalation/store.ts';
import { ChangeRefused } from './change-refused.ts';

/** Gateways are notified at once, and poll every second. */
const TAKEN_WITHIN_MS = 4_000;

export interface Answering {
  readonly escalations: Pick<EscalationStore, 'answer' | 'find' | 'now' | 'poll'>;
  readonly hearEscalations: HearEscalations;
  /** `zsp.escalation_secret`. */
  readonly secret: string;
}

/** Subscribes to approval events, some of which may be missed. Returns an unsubscribe function. */
export type HearEscalations = (onEvent: (event: EscalationEvent) => void) => Promise<() => void>;

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
 * Signs an answer, stores it and waits until a gateway has taken it.
 *
 * @throws ChangeRefused if the request is not pending, was answered by another person, or is not taken by a
 * gateway
 */
export async function answerEscalation(
  { escalations, hearEscalations, secret }: Answering,
  { id, decision, approver }: EscalationAnswer,
): Promise<AnsweredEscalation> {
  const { promise: heard, resolve } = Promise.withResolvers<Resolved>();
  // Subscribed before the look-up, so no decision about a pending request is missed.
  const stopHearing = await hearEscalations((event) => {
    if (event.type === 'escalation.resolved' && event.id === id) resolve(event);
  });
  try {
    const escalation = await escalations.find(id);
    if (escalation === undefined) throw notWaiting(id);
    if (secret === '')
      throw new ChangeRefused(
        'zsp.escalation_secret is empty, and answers are signed with it. Set it to the secret that the gateway uses',
      );
    const { nonce, key_hash, request_digest, expiry } = escalation;
    const signed = signApproval({ id, nonce, key_hash, decision, approver, expiry, request_digest }, secret);
    await keep(escalations, escalation, JSON.stringify(signed), secret);
    const resolved = await Promise.race([heard, delay(TAKEN_WITHIN_MS, undefined, { ref: false })]);
    const outcome =
      resolved === undefined
        ? await takenUnheard(escalations, id)
        : outcomeFor(resolved, { decision, approver });
    return { escalation, approver, outcome };
  } finally {
    stopHearing();
  }
}

async function takenUnheard(escalations: Answering['escalations'], id: string): Promise<'taken'> {
  const [state] = await escalations.poll([id]);
  if (state?.waits === false) return 'taken';
  throw new ChangeRefused(
    'no gateway took the answer, and the request is still waiting. Check that a gateway runs and has the same zsp.escalation_secret as this configuration',
  );
}

function outcomeFor(
  { outcome, approver: answeredBy }: Resolved,
  { decision, approver }: Pick<EscalationAnswer, 'approver' | 'decision'>,
): EscalationOutcome {
  const wanted = decision === 'approve' ? 'approved' : 'denied';
  if (outcome !== wanted)
    throw new ChangeRefused(`the answer came too late: the request is already ${outcome}`);
  // The other answer was taken in the meantime, and `keep` found no trace of it.
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

/** Replaces a stored text that is not a valid answer: anybody with access to Redis can write one. */
async function keep(
  escalations: Answering['escalations'],
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
    throw new ChangeRefused('somebody else answered at the same time. See gateway escalations list');
}
