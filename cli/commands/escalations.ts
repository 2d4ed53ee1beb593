import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Config } from '../../src/config/schema.ts';
import { readApproval, signApproval, type ApprovalDecision } from '../../src/escalation/approval.ts';
import type { Escalation, EscalationEvent, EscalationOutcome } from '../../src/escalation/escalation.ts';
import type { EscalationStore } from '../../src/escalation/store.ts';
import { operate, type Operations } from '../../src/operate.ts';
import { UsageError, type Io } from '../command.ts';
import { escalationBlock, escalationJson, escalationTable } from '../escalation-view.ts';
import { loadedConfig } from '../loaded-config.ts';
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
import { onRedis } from '../on-redis.ts';

type AnswerOptions = OutputOptions & OperatorOptions;

/** A gateway hears an answer at once, or finds it within a second. */
const TAKEN_WITHIN_MS = 4_000;
const LOOK_EVERY_MS = 2_000;
/** As the list shows them. */
const MIN_ID_CHARS = 6;

/** `gateway escalations …`: approvals of requests that a policy escalated (docs/approvals.md). */
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
  const { waiting, now } = await onRedis(command, io, async ({ escalations }) => ({
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
  const { config } = loadedConfig(command, io);
  const approver = options.as ?? operatorName(io);
  if (approver === undefined)
    throw new UsageError('your user has no name here. Give one, for example: --as jane');
  const { escalation, outcome } = await operate(config, async (operations) => {
    const found = await findWaiting(operations.escalations, reference);
    return { escalation: found, outcome: await give(operations, config, found, decision, approver) };
  });
  print(io, options.output, { ...escalationJson(escalation), decision, approver, outcome }, () => {
    const what = decision === 'approve' ? 'is approved and goes on' : 'is denied';
    return `The request of ${printable(escalation.key_name)} (${escalation.id}) ${what}.`;
  });
  await auditChange(command, io, {
    activity: 'update',
    operation: `escalations ${decision}`,
    key: { keyHash: escalation.key_hash, name: escalation.key_name },
    fields: { escalation_id: escalation.id, request_digest: escalation.request_digest, approver, outcome },
  });
}

async function findWaiting(escalations: EscalationStore, reference: string): Promise<Escalation> {
  const waiting = await escalations.list();
  const found = waiting.filter(({ id }) => id === reference || isPrefix(reference, id));
  const [first, second] = found;
  if (second !== undefined)
    throw new UsageError(
      `several waiting requests begin with ${printable(reference)}. Give more of the id, as gateway escalations list shows it`,
    );
  if (first !== undefined) return first;
  throw new Error(
    `no request ${printable(reference)} is waiting: it was answered, its client left, or it timed out. See gateway escalations list`,
  );
}

function isPrefix(reference: string, id: string): boolean {
  return reference.length >= MIN_ID_CHARS && id.startsWith(reference);
}

/** Signs an answer, hands it over and waits until a gateway has taken it. */
async function give(
  { escalations, hearEscalations }: Operations,
  config: Config,
  escalation: Escalation,
  decision: ApprovalDecision,
  approver: string,
): Promise<EscalationOutcome | 'taken'> {
  const secret = config.zsp.escalation_secret;
  if (secret === '')
    throw new Error(
      'zsp.escalation_secret is empty, and answers are signed with it. Set it to the secret that the gateway uses',
    );
  const { id, nonce, key_hash, request_digest, expiry } = escalation;
  const signed = signApproval({ id, nonce, key_hash, decision, approver, expiry, request_digest }, secret);
  const { promise: heard, resolve } = Promise.withResolvers<Resolved>();
  await hearEscalations((event) => {
    if (event.type === 'escalation.resolved' && event.id === id) resolve(event);
  });
  await keep(escalations, escalation, JSON.stringify(signed), secret);
  const resolved = await Promise.race([heard, delay(TAKEN_WITHIN_MS, undefined, { ref: false })]);
  if (resolved === undefined) {
    const [standing] = await escalations.look([id]);
    if (standing?.waits === false) return 'taken';
    throw new Error(
      'no gateway took the answer, and the request is still waiting. Check that a gateway runs and has the same zsp.escalation_secret as this configuration',
    );
  }
  const { outcome, approver: answeredBy = approver } = resolved;
  const wanted = decision === 'approve' ? 'approved' : 'denied';
  if (outcome !== wanted) throw new Error(`the answer came too late: the request is already ${outcome}`);
  // Theirs was taken while this one was on its way, and left no trace that `keep` could see.
  if (answeredBy !== approver) throw answeredBefore(answeredBy, decision);
  return outcome;
}

type Resolved = Extract<EscalationEvent, { readonly type: 'escalation.resolved' }>;

function answeredBefore(approver: string, decision: ApprovalDecision): Error {
  return new Error(
    `${printable(approver)} has already ${decision === 'approve' ? 'approved' : 'denied'} this request`,
  );
}

/** What somebody put there that is no answer keeps no person from giving one. */
async function keep(
  escalations: EscalationStore,
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
    throw new Error('somebody else answered at the same time. See gateway escalations list');
}

/** Ends with the process. What Pub/Sub loses is found in the list. */
async function watch(command: Command, io: Io, output: OutputFormat): Promise<never> {
  const { config } = loadedConfig(command, io);
  return operate(config, async ({ escalations, hearEscalations }) => {
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
    await hearEscalations((event) => {
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
