import { UnknownForm } from '../../redis/stored-forms.ts';
import type { SessionFields } from './session-fields.ts';

/** A session's stored string (session.lua). */
export interface PackedSession {
  readonly fields: SessionFields;
  readonly revision: number;
  /** Lease ends of running calls in Unix ms, ascending. */
  readonly leaseEnds: readonly number[];
}

const SESSION_VERSION = 2;
const ANSWERED = 1;
const KEPT = 2;
// Layout: version, flags, nine doubles, lengths of six texts (4 bytes each).
const DOUBLES_AT = 2;
const LENGTHS_AT = DOUBLES_AT + 9 * 8;
const TEXTS_AT = LENGTHS_AT + 6 * 4;
const ID_BYTES = 13;
const CALL_BYTES = 8 + ID_BYTES;

const LEDGER_VERSION = 2;
const LEDGER_HEAD_BYTES = 4;
const ACCOUNT_BYTES = 7 * 8;
const SPENT_AT = 2 * 8;

/** Decodes a string written by session.lua. Throws UnknownForm, or Error if it is damaged. */
export function unpackSession(packed: Buffer): PackedSession {
  const [version = SESSION_VERSION] = packed;
  if (version !== SESSION_VERSION) throw new UnknownForm('session', version);
  if (packed.length < TEXTS_AT) throw new Error('a session is damaged: end it');
  const double = (nth: number): number => packed.readDoubleLE(DOUBLES_AT + nth * 8);
  const flags = packed[1] ?? 0;
  let at = TEXTS_AT;
  function text(nth: number): Buffer {
    const begin = at;
    at += packed.readUInt32LE(LENGTHS_AT + nth * 4);
    return packed.subarray(begin, at);
  }
  const [state, moves, calls, taints, tools, marks] = [text(0), text(1), text(2), text(3), text(4), text(5)];
  if (at !== packed.length || moves.length % ID_BYTES !== 0 || calls.length % CALL_BYTES !== 0) {
    throw new Error('a session is damaged: end it');
  }
  return {
    fields: [
      ...([double(0), double(1), double(4), double(6), double(7)] as const),
      (flags & ANSWERED) === 0 ? 0 : 1,
      (flags & KEPT) === 0 ? 0 : 1,
      state.toString(),
      ...([namesInNotes(taints), namesInNotes(tools), namesInNotes(marks)] as const),
    ],
    revision: double(8),
    leaseEnds: Array.from({ length: calls.length / CALL_BYTES }, (_, nth) =>
      calls.readDoubleLE(nth * CALL_BYTES),
    ),
  };
}

/** Mirrors notes.lua: each name's length (2 bytes), the name, and the operation that added it. */
function namesInNotes(notes: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at < notes.length;) {
    const end = at + 2 + notes.readUInt16LE(at);
    if (end + ID_BYTES > notes.length) throw new Error('a session is damaged: end it');
    names.push(notes.toString('utf8', at + 2, end));
    at = end + ID_BYTES;
  }
  return names;
}

/** Returns an account's spend in nano-USD from its ledger (ledger.lua). Throws like `unpackSession`. */
export function spentIn(ledger: Buffer, account: string): number {
  const [version = LEDGER_VERSION] = ledger;
  if (version !== LEDGER_VERSION) throw new UnknownForm('ledger', version);
  const specAt = LEDGER_HEAD_BYTES + (ledger[1] ?? 0) * ACCOUNT_BYTES;
  if (ledger.length < specAt || ledger.length !== specAt + ledger.readUInt16LE(2)) {
    throw new Error('a ledger is damaged');
  }
  const names = ledger.toString('latin1', specAt).split(';');
  const nth = names.findIndex((spec) => spec.startsWith(`${account} `));
  return nth < 0 ? 0 : ledger.readDoubleLE(LEDGER_HEAD_BYTES + nth * ACCOUNT_BYTES + SPENT_AT);
}
