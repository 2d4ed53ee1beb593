import * as z from 'zod';
import { replaceUnseen } from '../text/label.ts';

/**
 * Why a key is locked. It stands in the lock's own value, and in that of a pending lock, and is shown to whoever uses the
 * key: names of ours, and names that servers and clients chose in plain characters alone, so that nothing in them reads
 * as more than a name. Never what was found.
 */
const MAX_NAME_CHARS = 64;
const MAX_REASON_CHARS = 200;
const MAX_RULES = 4;

const name = z.string().regex(/^[A-Za-z0-9._:/*?-]{1,64}$/);
const reason = z.string().regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u);

const place = z.discriminatedUnion('in', [
  z.object({ in: z.literal('completion') }),
  /** What an MCP server sent; `tool` where it answered a call. */
  z.object({ in: z.literal('mcp'), server: name, tool: name.optional() }),
]);

const lockCause = z.discriminatedUnion('kind', [
  z.object({
    kind: z.enum(['secret', 'personal_data']),
    /** Of the detectors that found it. */
    rules: z.array(name).max(MAX_RULES).readonly(),
    place,
    /** `X-Gateway-Request-ID`, by which the log has it. */
    request: name.optional(),
  }),
  z.object({ kind: z.literal('policy') }),
  z.object({ kind: z.literal('risk_score'), trigger: name, threshold: z.int() }),
  z.object({ kind: z.literal('operator'), reason: reason.optional() }),
]);

export type LockCause = z.infer<typeof lockCause>;

/** What a lock's key holds: the id of the operation that set it, and why. */
export function lockValue(id: string, cause: LockCause | undefined): string {
  return cause === undefined ? id : JSON.stringify({ id, ...cause });
}

/** Undefined where the lock does not say, or says it in another way than we write it: it holds all the same. */
export function readLockCause(value: string | null | undefined): LockCause | undefined {
  if (value?.startsWith('{') !== true) return undefined;
  try {
    return lockCause.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined; // set by hand
  }
}

/** A name that somebody else chose, as a cause may hold it. */
export function plainName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._:/*-]/g, '?').slice(0, MAX_NAME_CHARS) || '?';
}

/** Rules as a cause holds them: the first few, each once. */
export function plainRules(rules: Iterable<string>): string[] {
  return [...new Set(rules)].slice(0, MAX_RULES).map(plainName);
}

/** An operator's words in one line; undefined where nothing is left of them. */
export function plainReason(text: string): string | undefined {
  const line = replaceUnseen(text, () => ' ')
    .replaceAll(/\p{Z}+/gu, ' ')
    .trim();
  return line === '' ? undefined : line.slice(0, MAX_REASON_CHARS).toWellFormed().trim();
}

/** For a person to read, as the end of "locked because …". */
export function lockCauseInWords(cause: LockCause): string {
  switch (cause.kind) {
    case 'secret':
      return `a secret${found(cause)}`;
    case 'personal_data':
      return `personal data${found(cause)}`;
    case 'policy':
      return 'a policy has locked it';
    case 'risk_score':
      return `its risk score went over ${String(cause.threshold)}, last by ${cause.trigger}`;
    case 'operator':
      return `an operator has locked it${cause.reason === undefined ? '' : `: ${cause.reason}`}`;
  }
}

function found({ rules, place: where, request }: Extract<LockCause, { rules: unknown }>): string {
  const what = rules.length === 0 ? '' : ` (${rules.join(', ')})`;
  const call = request === undefined ? '' : ` (request ${request})`;
  return `${what} was found in ${placeInWords(where)}${call}`;
}

function placeInWords(where: z.infer<typeof place>): string {
  if (where.in === 'completion') return 'a completion';
  const sent = where.tool === undefined ? 'what' : `the answer of tool \`${where.tool}\` that`;
  return `${sent} the MCP server \`${where.server}\` sent`;
}
