import type { AnswerOrigin, Parsed } from '../../pipeline/exchange.ts';
import type { TriedTarget } from '../../routes/health.ts';
import { parsedOf, type Attempt, type SentState } from '../state.ts';

export interface Reached {
  readonly parsed: Parsed;
  readonly origin: AnswerOrigin;
  readonly tried: readonly TriedTarget[];
  /** The last attempt, if there were several targets. */
  readonly attempt?: Attempt;
  /** Why no target answered, if Envoy could not report it. */
  readonly failure?: 'upstream_unavailable' | 'upstream_timeout';
}

/** Response details that Envoy sets if an upstream answered. */
const VIA_UPSTREAM = 'via_upstream';
/** Response details of failures before the provider received, or billed, anything. */
const NOT_CONNECTED =
  /connection_failure|connection_timeout|no_healthy_upstream|cluster_not_found|no_cluster_found/;

export function reachedBy(state: SentState, details: string, headers: ReadonlyMap<string, string>): Reached {
  const attempts = state.at === 'forwarded' ? state.attempts : undefined;
  const parsed = parsedOf(state);
  if (details !== VIA_UPSTREAM) {
    // The details describe only the last attempt; earlier attempts may have been processed.
    if (attempts !== undefined) return { parsed, origin: 'lost', tried: [] };
    const origin = NOT_CONNECTED.test(details) ? 'not_connected' : 'lost';
    const outcome = origin === 'lost' ? 'lost' : 'connect';
    return { parsed, origin, tried: [{ exchange: parsed, outcome }] };
  }
  if (attempts === undefined) {
    const status = Number(headers.get(':status'));
    const outcome = status >= 500 ? '5xx' : status === 429 ? '429' : 'answered';
    return { parsed, origin: 'provider', tried: [{ exchange: parsed, outcome }] };
  }
  return reachedByAttempt(attempts, headers.get('x-gw-tried') ?? '');
}

/** Outcomes that leave open whether the target processed the request. */
const UNCERTAIN: ReadonlySet<string> = new Set(['timeout', 'lost', 'unsure']);

interface Tried {
  readonly index: number;
  readonly outcome: string;
}

/**
 * Parses the record of the attempts (envoy/attempts.lua). An attempt missing from it may have been processed.
 * @throws Error without a record; the answer is then withheld, and the reservation charged
 */
function reachedByAttempt(attempts: readonly Attempt[], record: string): Reached {
  const tried = [...record.matchAll(/(\d{1,2}):([\w]{1,16}):\d{1,3}(?:,|$)/g)].map(
    ([, number, outcome = '']): Tried => ({ index: Number(number) - 1, outcome }),
  );
  const last = tried.at(-1);
  const attempt = last && attempts[last.index];
  if (last === undefined || attempt === undefined)
    throw new Error('an answer was received from an unknown target');
  const known = new Map(tried.map(({ index, outcome }) => [index, outcome]));
  const made = attempts.slice(0, last.index + 1).map(({ exchange }, index) => ({
    exchange,
    outcome: known.get(index) ?? 'lost',
  }));
  const alsoAsked = made
    .slice(0, -1)
    .filter(({ outcome }) => UNCERTAIN.has(outcome))
    .map(({ exchange }) => exchange);
  const parsed = alsoAsked.length === 0 ? attempt.exchange : { ...attempt.exchange, alsoAsked };
  const reached = { parsed, attempt, tried: made };
  switch (last.outcome) {
    case 'connect':
      return { ...reached, origin: 'not_connected', failure: 'upstream_unavailable' };
    case 'lost':
      return { ...reached, origin: 'lost', failure: 'upstream_unavailable' };
    case 'timeout':
      return { ...reached, origin: 'lost', failure: 'upstream_timeout' };
    default:
      return { ...reached, origin: 'provider' };
  }
}
