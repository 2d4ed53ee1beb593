import * as z from 'zod';
import { replaceUnseen } from '../text/label.ts';

const MAX_NAME_CHARS = 64;
const MAX_REASON_CHARS = 200;
const MAX_RULES = 4;

const name = z.string().regex(/^[A-Za-z0-9._:/*?-]{1,64}$/);
const reason = z.string().regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u);

const place = z.discriminatedUnion('in', [
  z.object({ in: z.literal('completion') }),
  /** `tool` is set if the message answered a tool call. */
  z.object({ in: z.literal('mcp'), server: name, tool: name.optional() }),
]);

const lockCause = z.discriminatedUnion('kind', [
  z.object({
    kind: z.enum(['secret', 'personal_data']),
    rules: z.array(name).max(MAX_RULES).readonly(),
    place,
    /** `X-Gateway-Request-ID`. */
    request: name.optional(),
  }),
  z.object({ kind: z.literal('policy') }),
  z.object({ kind: z.literal('risk_score'), trigger: name, threshold: z.int() }),
  z.object({ kind: z.literal('operator'), reason: reason.optional() }),
]);

/**
 * A lock's cause is stored in the lock's value and shown to the key's user. It may contain names in plain characters
 * and an operator's reason, but never the matched text.
 */
export type LockCause = z.infer<typeof lockCause>;

/** Returns the stored value of a lock: the id of its operation, and the cause. */
export function lockValue(id: string, cause: LockCause | undefined): string {
  return cause === undefined ? id : JSON.stringify({ id, ...cause });
}

export function readLockCause(value: string | null | undefined): LockCause | undefined {
  if (value?.startsWith('{') !== true) return undefined;
  try {
    return lockCause.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined; // A lock that was set by hand.
  }
}

export function plainName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._:/*-]/g, '?').slice(0, MAX_NAME_CHARS) || '?';
}

export function plainRules(rules: Iterable<string>): string[] {
  return [...new Set(rules)].slice(0, MAX_RULES).map(plainName);
}

/** Reduces an operator's reason to one line. Returns undefined if nothing is left. */
export function plainReason(text: string): string | undefined {
  const line = replaceUnseen(text, () => ' ')
    .replaceAll(/\p{Z}+/gu, ' ')
    .trim();
  return line === '' ? undefined : line.slice(0, MAX_REASON_CHARS).toWellFormed().trim();
}

/** Returns a clause that completes "locked because …". */
export function lockCauseInWords(cause: LockCause): string {
  switch (cause.kind) {
    case 'secret':
      return `a secret${found(cause)}`;
    case 'personal_data':
      return `personal data${found(cause)}`;
    case 'policy':
      return 'a policy has locked it';
    case 'risk_score':
      return `its risk score exceeded ${String(cause.threshold)}, last raised by ${cause.trigger}`;
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
  const sent = where.tool === undefined ? 'a message that' : `the answer of tool \`${where.tool}\` that`;
  return `${sent} the MCP server \`${where.server}\` sent`;
}
