/** A duration in milliseconds, the unit of all loaded durations. */
export type Milliseconds = number;

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Ten years. Longer durations are probably typos. */
export const MAX_DURATION_MS: Milliseconds = 3_650 * 86_400_000;

/** Pattern of a duration string, such as `30s`, `250ms`, `1h30m` or `0`. Also used in the JSON Schema. */
export const DURATION_PATTERN = /^(?:0|(?:\d{1,12}(?:\.\d{1,6})?(?:ms|s|m|h|d)){1,5})$/;

export const DURATION_RULE = 'must be a duration such as 250ms, 30s, 5m, 1h or 1h30m';

/** Returns a duration in whole milliseconds, or undefined if it is invalid. */
export function parseDuration(text: string): Milliseconds | undefined {
  if (!DURATION_PATTERN.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]{1,19})(ms|s|m|h|d)/g)) {
    totalMs += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  }
  return totalMs <= MAX_DURATION_MS ? Math.round(totalMs) : undefined;
}

/** Formats a duration in the largest unit up to hours that gives a whole number, such as `90s`, `5m` or `250ms`. */
export function formatDuration(durationMs: Milliseconds): string {
  if (durationMs === 0) return '0';
  for (const unit of ['h', 'm', 's'] as const) {
    const unitMs = UNIT_MS[unit] ?? 1;
    if (durationMs % unitMs === 0) return `${String(durationMs / unitMs)}${unit}`;
  }
  return `${String(durationMs)}ms`;
}
