/** Formats numbers and times in the user's language and time zone. */

const ABSOLUTE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const COUNT = new Intl.NumberFormat();
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns a time such as `12 Mar 2026, 10:15:00`. */
export function absoluteTime(time: string | number): string {
  return ABSOLUTE.format(new Date(time));
}

/** Returns a time such as `10:15:00`. */
export function clockTime(time: string | number): string {
  return CLOCK.format(new Date(time));
}

/** Returns a string such as `3 minutes ago` or `in 2 hours`. */
export function relativeTime(time: string | number, nowMs: number): string {
  const seconds = Math.round((new Date(time).getTime() - nowMs) / 1000);
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? UNITS[3];
  return RELATIVE.format(Math.trunc(seconds / size), unit);
}

/** Returns the two largest units, such as `1 h 5 min` or `42 s`; never negative. */
export function duration(seconds: number): string {
  const left = Math.max(0, Math.round(seconds));
  if (left < 60) return `${String(left)} s`;
  if (left < 3_600) return `${String(Math.floor(left / 60))} min ${String(left % 60)} s`;
  const hours = Math.floor(left / 3_600);
  if (hours < 24) return `${String(hours)} h ${String(Math.floor((left % 3_600) / 60))} min`;
  return `${String(Math.floor(hours / 24))} d ${String(hours % 24)} h`;
}

export function count(value: number): string {
  return COUNT.format(value);
}

/** Uses more digits below 1 USD, so that a cheap call does not appear as `$0.00`. */
export function usd(value: number): string {
  const digits = Math.abs(value) >= 1 || value === 0 ? 2 : 6;
  return `$${new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: digits }).format(value)}`;
}

export function percent(part: number, whole: number): string {
  return whole <= 0 ? '–' : `${String(Math.round((part / whole) * 100))} %`;
}

/** Returns the beginning of a long digest. */
export function shortId(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, 12)}…`;
}
