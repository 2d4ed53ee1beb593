import { DateTime, type DateTimeUnit } from 'luxon';
import type { BudgetWindow } from '../../redis/budget-limits.ts';

/** Windows that begin at a local time. Minutes and hours are those of UTC. */
const UNITS: { readonly [Window in BudgetWindow]?: DateTimeUnit } = {
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
};

/** Calendars of the windows of a time zone, as `windows.lua` reads them: `at:` and the Unix ms at which windows begin. */
export type ZonedCalendars = { readonly [Window in BudgetWindow]?: `at:${string}` };

/**
 * Returns a function that gives the calendars of a time zone as of now. They name the window of now, and one on either
 * side: Redis chooses by its own clock, which may be ahead or behind.
 * @param zone IANA name
 */
export function createZonedCalendars(zone: string, now: () => number = Date.now): () => ZonedCalendars {
  let known: ZonedCalendars = {};
  let validFrom = Infinity;
  let validUntil = -Infinity;
  return () => {
    const time = now();
    if (time >= validFrom && time < validUntil) return known;
    const local = DateTime.fromMillis(time, { zone });
    known = Object.fromEntries(
      Object.entries(UNITS).map(([window, unit]) => [window, `at:${beginnings(local, unit).join(':')}`]),
    );
    // All of these windows begin at the beginning of a day.
    [, validFrom = time, validUntil = time] = beginnings(local, 'day');
    return known;
  };
}

/** Returns when the window before, this one, the next, and the one after it begin. */
function beginnings(local: DateTime, unit: DateTimeUnit): number[] {
  return [-1, 0, 1, 2].map((nth) =>
    local
      .plus({ [unit]: nth })
      .startOf(unit)
      .toMillis(),
  );
}
