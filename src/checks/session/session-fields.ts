import { GatewayError } from '../../errors.ts';
import { UNANSWERED_LIFE_MS } from '../../pipeline/session-turn.ts';
import { MAX_STATE_CHARS, type Session, type StateMove } from './store.ts';

const NOTE = /^(taint|tool|mark):(.*)$/s;

/**
 * Reads a session's stored hash; undefined where it is empty. A number that is none is a damaged store: it throws
 * `redis_unavailable`, for reading it as "no limit" would open the gate.
 * @param ttlMs `session.ttl`
 */
export function readSession(
  id: string,
  fields: Readonly<Record<string, string>>,
  spent: string,
  ttlMs: number,
): Session | undefined {
  if (fields['created'] === undefined) return undefined;
  const answered = fields['answered'] !== undefined;
  return {
    id,
    createdAt: wholeNumber(fields['created']),
    lastUsedAt: wholeNumber(fields['used']),
    state: fields['state'],
    steps: wholeNumber(fields['steps']),
    maxSteps: optional(fields['max_steps']),
    budgetNanoUsd: optional(fields['budget']),
    spendNanoUsd: wholeNumber(spent),
    taintFlags: notes('taint', fields),
    toolsCalled: notes('tool', fields),
    marks: notes('mark', fields),
    kept: fields['kept'] !== undefined,
    answered,
    lifeMs: lifeMs(answered, ttlMs),
  };
}

/** As life.lua has it. */
export function lifeMs(answered: boolean, ttlMs: number): number {
  return answered ? ttlMs : Math.min(ttlMs, UNANSWERED_LIFE_MS);
}

/** As the scripts take the names of states; '' is none. */
export function stateNames({ from, to }: StateMove): readonly [string, string] {
  for (const state of from === undefined ? [to] : [from, to]) {
    if (state === '' || state.length > MAX_STATE_CHARS) {
      throw new RangeError(`a state has a name of 1 to ${String(MAX_STATE_CHARS)} characters`);
    }
  }
  return [from ?? '', to];
}

function optional(stored: string | undefined): number | undefined {
  return stored === undefined ? undefined : wholeNumber(stored);
}

function wholeNumber(stored: string | undefined): number {
  if (stored === undefined || !/^\d{1,16}$/.test(stored)) {
    throw new GatewayError('redis_unavailable', 'A stored session is damaged: end it');
  }
  return Number(stored);
}

/** Names of one kind in the order of their places; a value is `<place>:<operation>`. */
function notes(kind: 'taint' | 'tool' | 'mark', fields: Readonly<Record<string, string>>): string[] {
  return Object.entries(fields)
    .flatMap(([field, value]) => {
      const [, found, name] = NOTE.exec(field) ?? [];
      return found === kind && name !== undefined ? [{ name, place: Number.parseInt(value, 10) }] : [];
    })
    .sort((one, other) => one.place - other.place)
    .map(({ name }) => name);
}
