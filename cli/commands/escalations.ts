import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { ApprovalDecision } from '../../src/escalation/approval.ts';
import type { Escalation, EscalationOutcome } from '../../src/escalation/escalation.ts';
import { notWaiting } from '../../src/operator/answer-escalation.ts';
import { UsageError, type Io } from '../command.ts';
import { escalationBlock, escalationJson, escalationTable } from '../escalation-view.ts';
import { auditChange, operatorName, withOperator, type OperatorOptions } from '../operator-change.ts';
import {
  painter,
  print,
  printable,
  printableJson,
  withOutput,
  type OutputFormat,
  type OutputOptions,
} from '../output.ts';
import { messageOf } from '../../src/errors.ts';
import { isRemote, onGateway } from '../on-gateway.ts';

type AnswerOptions = OutputOptions & OperatorOptions;

const LOOK_EVERY_MS = 2_000;
const MIN_ID_CHARS = 6;

/** Adds `gateway escalations …`: approvals of escalated requests (docs/approvals.md). */
export function registerEscalations(program: Command, io: Io): void {
  const escalations = program
    .command('escalations')
    .description('approve or deny requests that wait for a decision');
  withOutput(escalations.command('list').description('list the waiting requests')).action(
    (options: OutputOptions, command: Command) => list(command, io, options.output),
  );
  for (const [decision, what] of [
    ['approve', 'let a waiting request go on'],
    ['deny', 'refuse a waiting request'],
  ] as const) {
    withOutput(
      withOperator(escalations.command(decision))
        .argument('<id>', 'its id, or the first characters of it (6 or more)')
        .description(what),
    ).action((id: string, options: AnswerOptions, command: Command) =>
      answerEscalation(command, io, id, decision, options),
    );
  }
  withOutput(
    escalations
      .command('watch')
      .description('show requests as they come and go, until Ctrl-C; with --output json, one event a line'),
  ).action((options: OutputOptions, command: Command) => watch(command, io, options.output));
}

async function list(command: Command, io: Io, output: OutputFormat): Promise<void> {
  const { waiting, now } = await onGateway(command, io, async ({ escalations }) => ({
    waiting: await escalations.list(),
    now: await escalations.now(),
  }));
  print(io, output, { escalations: waiting.map(escalationJson) }, () =>
    waiting.length === 0
      ? 'No request is waiting for an approval.'
      : escalationTable(waiting, now, painter(io)),
  );
}

async function answerEscalation(
  command: Command,
  io: Io,
  reference: string,
  decision: ApprovalDecision,
  options: AnswerOptions,
): Promise<void> {
  // Over the API, the token identifies the approver.
  const approver = isRemote(command) ? '' : (options.as ?? operatorName(io));
  if (approver === undefined)
    throw new UsageError('your user has no name here. Give one, for example: --as jane');
  const answered = await onGateway(command, io, async ({ escalations, changes }) => {
    const { id } = findWaiting(await escalations.list(), reference);
    return changes.answerEscalation({ id, decision, approver });
  });
  const { escalation, ...outcome } = answered.result;
  print(io, options.output, { ...escalationJson(escalation), decision, ...outcome }, () => {
    const what = decision === 'approve' ? 'is approved and goes on' : 'is denied';
    return `The request of ${printable(escalation.key_name)} (${escalation.id}) ${what}.`;
  });
  await auditChange(command, io, answered.record);
}

function findWaiting(waiting: readonly Escalation[], reference: string): Escalation {
  const found = waiting.filter(({ id }) => id === reference || isPrefix(reference, id));
  const [first, second] = found;
  if (second !== undefined)
    throw new UsageError(
      `several waiting requests begin with ${printable(reference)}. Give more of the id, as gateway escalations list shows it`,
    );
  if (first === undefined) throw notWaiting(reference);
  return first;
}

function isPrefix(reference: string, id: string): boolean {
  return reference.length >= MIN_ID_CHARS && id.startsWith(reference);
}

/** Runs until the process ends. The list has requests that Pub/Sub lost. */
async function watch(command: Command, io: Io, output: OutputFormat): Promise<never> {
  return onGateway(command, io, async ({ escalations, watchEscalations }) => {
    const known = new Map<string, Escalation>();
    function tell(json: unknown, text: () => string): void {
      io.stdout.write(output === 'json' ? `${printableJson(json)}\n` : `${text()}\n`);
    }
    function requested(escalation: Escalation): void {
      if (known.has(escalation.id)) return;
      known.set(escalation.id, escalation);
      tell({ type: 'escalation.requested', ...escalationJson(escalation) }, () =>
        escalationBlock(escalation, painter(io)),
      );
    }
    function resolved(id: string, outcome: EscalationOutcome | 'gone', approver?: string): void {
      const escalation = known.get(id);
      if (escalation === undefined) return;
      known.delete(id);
      const by = approver === undefined ? '' : ` by ${printable(approver)}`;
      tell({ type: 'escalation.resolved', id, outcome, approver: approver ?? null }, () =>
        painter(io)(
          'dim',
          `${id.slice(0, MIN_ID_CHARS)}  ${printable(escalation.key_name)}: ${outcome}${by}`,
        ),
      );
    }
    await watchEscalations((event) => {
      if (event.type === 'escalation.requested') requested(event);
      else resolved(event.id, event.outcome, event.approver);
    });
    if (output === 'table') io.stderr.write('Waiting for requests that need an approval; Ctrl-C ends it.\n');
    for (let away = false; ; await delay(LOOK_EVERY_MS)) {
      try {
        const waiting = await escalations.list();
        for (const escalation of waiting) requested(escalation);
        const left = new Set(waiting.map(({ id }) => id));
        for (const id of known.keys()) if (!left.has(id)) resolved(id, 'gone');
        away = false;
      } catch (cause) {
        if (!away) io.stderr.write(`${messageOf(cause)}\n`);
        away = true;
      }
    }
  });
}
