import { setTimeout as delay } from 'node:timers/promises';

import type { Command } from 'commander';

import { messageOf } from '../../src/errors.ts';
import type { ApprovalDecision } from '../../src/escalation/approval.ts';
import type { Escalation, EscalationOutcome } from '../../src/escalation/escalation.ts';
import { notWaiting } from '../../src/operator/answer-escalation.ts';
import { UsageError, withCall, type Call, type Io } from '../command.ts';
import { escalationBlock, escalationJson, escalationTable } from '../escalation-view.ts';
import { isRemote, onGateway } from '../on-gateway.ts';
import { auditChange, operatorName, withOperator, type OperatorOptions } from '../operator-change.ts';
import { painter, print, printable, printableJson, withOutput, type OutputOptions } from '../output.ts';

const POLL_EVERY_MS = 2_000;
const MIN_ID_CHARS = 6;

/** Adds `gateway escalations …`, which approves and denies escalated requests (docs/approvals.md). */
export function registerEscalations(program: Command, io: Io): void {
  const escalations = program
    .command('escalations')
    .description('approve or deny requests that wait for approval');
  withOutput(escalations.command('list').description('list the waiting requests')).action(withCall(io, list));
  for (const [decision, description] of [
    ['approve', 'approve a waiting request'],
    ['deny', 'deny a waiting request'],
  ] as const) {
    withOutput(
      withOperator(escalations.command(decision))
        .argument('<id>', 'id of the request, or its first characters (at least 6)')
        .description(description),
    ).action(withCall(io, (call, id: string) => answerEscalation(call, id, decision)));
  }
  withOutput(
    escalations
      .command('watch')
      .description('show new and resolved requests until Ctrl-C; --output json prints one event per line'),
  ).action(withCall(io, watch));
}

async function list(call: Call): Promise<void> {
  const { waiting, now } = await onGateway(call, async ({ escalations }) => ({
    waiting: await escalations.list(),
    now: await escalations.now(),
  }));
  print(call, { escalations: waiting.map(escalationJson) }, () =>
    waiting.length === 0
      ? 'No request is waiting for approval.'
      : escalationTable(waiting, now, painter(call)),
  );
}

async function answerEscalation(call: Call, reference: string, decision: ApprovalDecision): Promise<void> {
  // Through the API, the token identifies the approver.
  const approver = isRemote(call) ? '' : (call.command.opts<OperatorOptions>().as ?? operatorName(call));
  if (approver === undefined)
    throw new UsageError('your user has no name on this machine. Pass your name, for example: --as jane');
  const answered = await onGateway(call, async ({ escalations, changes }) => {
    const { id } = findWaiting(await escalations.list(), reference);
    return changes.answerEscalation({ id, decision, approver });
  });
  const { escalation, ...details } = answered.result;
  print(call, { ...escalationJson(escalation), decision, ...details }, () => {
    const outcome = decision === 'approve' ? 'is approved and continues' : 'is denied';
    return `The request by ${printable(escalation.key_name)} (${escalation.id}) ${outcome}.`;
  });
  await auditChange(call, answered.record);
}

function findWaiting(waiting: readonly Escalation[], reference: string): Escalation {
  const found = waiting.filter(({ id }) => id === reference || isPrefix(reference, id));
  const [first, second] = found;
  if (second !== undefined)
    throw new UsageError(
      `several waiting requests begin with ${printable(reference)}. Give more of the id (see gateway escalations list)`,
    );
  if (first === undefined) throw notWaiting(reference);
  return first;
}

function isPrefix(reference: string, id: string): boolean {
  return reference.length >= MIN_ID_CHARS && id.startsWith(reference);
}

/** Runs until the process ends. Also polls the list, because Pub/Sub messages can get lost. */
async function watch(call: Call): Promise<never> {
  const { output } = call.command.opts<OutputOptions>();
  return onGateway(call, async ({ escalations, watchEscalations }) => {
    const known = new Map<string, Escalation>();
    function report(json: unknown, text: () => string): void {
      call.stdout.write(output === 'json' ? `${printableJson(json)}\n` : `${text()}\n`);
    }
    function requested(escalation: Escalation): void {
      if (known.has(escalation.id)) return;
      known.set(escalation.id, escalation);
      report({ type: 'escalation.requested', ...escalationJson(escalation) }, () =>
        escalationBlock(escalation, painter(call)),
      );
    }
    function resolved(id: string, outcome: EscalationOutcome | 'gone', approver?: string): void {
      const escalation = known.get(id);
      if (escalation === undefined) return;
      known.delete(id);
      const by = approver === undefined ? '' : ` by ${printable(approver)}`;
      report({ type: 'escalation.resolved', id, outcome, approver: approver ?? null }, () =>
        painter(call)(
          'dim',
          `${id.slice(0, MIN_ID_CHARS)}  ${printable(escalation.key_name)}: ${outcome}${by}`,
        ),
      );
    }
    await watchEscalations((event) => {
      if (event.type === 'escalation.requested') requested(event);
      else resolved(event.id, event.outcome, event.approver);
    });
    if (output === 'table')
      call.stderr.write('Waiting for requests that need approval; press Ctrl-C to stop.\n');
    for (let isAway = false; ; await delay(POLL_EVERY_MS)) {
      try {
        const waiting = await escalations.list();
        for (const escalation of waiting) requested(escalation);
        const left = new Set(waiting.map(({ id }) => id));
        for (const id of known.keys()) if (!left.has(id)) resolved(id, 'gone');
        isAway = false;
      } catch (cause) {
        if (!isAway) call.stderr.write(`${messageOf(cause)}\n`);
        isAway = true;
      }
    }
  });
}
