import type { Command } from 'commander';
import type { KeyRecord } from '../../src/auth/key-record.ts';
import type { SessionDetails } from '../../src/checks/session/store.ts';
import { INITIAL_STATE } from '../../src/policy/call.ts';
import type { Io } from '../command.ts';
import { entries, KEY_ARGUMENT } from '../key-view.ts';
import { auditChange, withOperator } from '../operator-change.ts';
import { registerSessionList, sessionJson } from '../session-list.ts';
import {
  listing,
  painter,
  print,
  printable,
  withOutput,
  type OutputFormat,
  type OutputOptions,
} from '../output.ts';
import { onGateway, onKey } from '../on-gateway.ts';

/** Adds `gateway sessions …`, which shows and ends the live sessions of a key (docs/sessions.md). */
export function registerSessions(program: Command, io: Io): void {
  const sessions = program.command('sessions').description('show and end the sessions of a key');
  registerSessionList(sessions, io);
  withOutput(
    sessions
      .command('show')
      .argument(...KEY_ARGUMENT)
      .argument('<session>', 'id of the session (see gateway sessions list)')
      .description('show one session: limits, taints, tools, and its first user request with secrets masked'),
  ).action((reference: string, sessionId: string, options: OutputOptions, command: Command) =>
    showSession(command, io, reference, sessionId, options.output),
  );
  withOutput(
    withOperator(sessions.command('end').argument(...KEY_ARGUMENT))
      .argument('<session>', 'id of the session (see gateway sessions list)')
      .description('end a session; the next request that names it starts a new one'),
  ).action((reference: string, sessionId: string, options: OutputOptions, command: Command) =>
    endSession(command, io, reference, sessionId, options.output),
  );
}

async function showSession(
  command: Command,
  io: Io,
  reference: string,
  sessionId: string,
  output: OutputFormat,
): Promise<void> {
  const { record, details } = await onKey(command, io, reference, async ({ sessions }, keyHash) => ({
    details: await sessions.read({ keyHash, sessionId }),
  }));
  if (details === undefined) throw noSession(record, sessionId);
  const json = detailsJson(record, details);
  print(io, output, json, () => {
    const { anchor, ...facts } = json;
    const shown = anchor === null ? facts : { ...facts, anchor_bytes: anchor.bytes, anchor: anchor.text };
    return listing(entries(withoutNulls(shown)), painter(io));
  });
}

async function endSession(
  command: Command,
  io: Io,
  reference: string,
  sessionId: string,
  output: OutputFormat,
): Promise<void> {
  const change = await onGateway(command, io, ({ changes }) => changes.endSession({ reference, sessionId }));
  const { record, ended } = change.result;
  if (!ended) throw noSession(record, sessionId);
  const json = { key_hash: record.keyHash, name: record.name, id: sessionId, ended: true };
  print(io, output, json, () => `Ended session ${printable(sessionId)} of ${printable(record.name)}.`);
  await auditChange(command, io, change.record);
}

function noSession({ name }: KeyRecord, sessionId: string): Error {
  return new Error(
    `${printable(name)} has no live session ${printable(sessionId)}. See gateway sessions list ${printable(name)}`,
  );
}

function detailsJson({ keyHash, name }: KeyRecord, { session, callsInFlight, anchor }: SessionDetails) {
  return {
    key_hash: keyHash,
    name,
    ...sessionJson(session),
    calls_in_flight: callsInFlight,
    state: session.state ?? INITIAL_STATE,
    taint_flags: session.taintFlags,
    tools_called: session.toolsCalled,
    anchor: anchor === undefined ? null : { bytes: Buffer.byteLength(anchor), text: anchor },
  };
}

function withoutNulls(json: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null));
}
