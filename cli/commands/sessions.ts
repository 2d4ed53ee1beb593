import type { Command } from 'commander';

import type { KeyRecord } from '../../src/auth/key-record.ts';
import type { SessionDetails } from '../../src/checks/session/store.ts';
import { INITIAL_STATE } from '../../src/policy/call.ts';
import { withCall, type Call, type Io } from '../command.ts';
import { entries, KEY_ARGUMENT } from '../key-view.ts';
import { onGateway, onKey } from '../on-gateway.ts';
import { auditChange, withOperator } from '../operator-change.ts';
import { listing, painter, print, printable, withOutput } from '../output.ts';
import { registerSessionList, sessionJson } from '../session-list.ts';

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
  ).action(withCall(io, showSession));
  withOutput(
    withOperator(sessions.command('end').argument(...KEY_ARGUMENT))
      .argument('<session>', 'id of the session (see gateway sessions list)')
      .description('end a session; the next request that names it starts a new one'),
  ).action(withCall(io, endSession));
}

async function showSession(call: Call, reference: string, sessionId: string): Promise<void> {
  const { record, details } = await onKey(call, reference, async ({ sessions }, keyHash) => ({
    details: await sessions.read({ keyHash, sessionId }),
  }));
  if (details === undefined) throw noSession(record, sessionId);
  const json = detailsJson(record, details);
  print(call, json, () => {
    const { anchor, ...facts } = json;
    const shown = anchor === null ? facts : { ...facts, anchor_bytes: anchor.bytes, anchor: anchor.text };
    return listing(entries(withoutNulls(shown)), painter(call));
  });
}

async function endSession(call: Call, reference: string, sessionId: string): Promise<void> {
  const change = await onGateway(call, ({ changes }) => changes.endSession({ reference, sessionId }));
  const { record, ended } = change.result;
  if (!ended) throw noSession(record, sessionId);
  const json = { key_hash: record.keyHash, name: record.name, id: sessionId, ended: true };
  print(call, json, () => `Ended session ${printable(sessionId)} of ${printable(record.name)}.`);
  await auditChange(call, change.record);
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
