const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** Formats a remaining time: "45 s", "12 min", "2 h 5 min", "3 d 4 h". Rounds up. */
export function timeSpan(ms: number): string {
  const seconds = wholeSeconds(ms);
  if (seconds < MINUTE_S) return `${seconds} s`;
  const minutes = Math.ceil(seconds / MINUTE_S) * MINUTE_S;
  if (minutes < DAY_S) return inUnits(minutes, [HOUR_S, 'h'], [MINUTE_S, 'min']);
  return inUnits(Math.ceil(seconds / HOUR_S) * HOUR_S, [DAY_S, 'd'], [HOUR_S, 'h']);
}

/** Rounds up to at least one second, because a client that retries early would be refused again. */
export function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}

type Unit = readonly [seconds: number, name: string];

function inUnits(seconds: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const wholes = Math.floor(seconds / large);
  const rest = (seconds - wholes * large) / small;
  if (wholes === 0) return `${rest} ${smallName}`;
  return rest === 0 ? `${wholes} ${largeName}` : `${wholes} ${largeName} ${rest} ${smallName}`;
}
