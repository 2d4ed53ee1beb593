import { DateTime, type DateTimeUnit } from 'luxon';
import type { BudgetWindow } from '../../redis/budget-limits.ts';

/** Windows that begin at a local time; minutes and hours are always in UTC. */
const UNITS: { readonly [Window in BudgetWindow]?: DateTimeUnit } = {
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
};

/** A time zone's calendars, as `windows.lua` reads them: `at:` and the Unix ms at which windows begin. */
export type ZonedCalendars = { readonly [Window in BudgetWindow]?: `at:${string}` };

/**
 * Returns a function that gives a time zone's current calendars. They name this window, the one before and the one
 * after: Redis chooses by its own clock, which may differ.
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
      Object.entries(UNITS).map(([window, unit]) => [window, `at:${starts(local, unit).join(':')}`]),
    );
    // All these windows begin at the beginning of a day.
    [, validFrom = time, validUntil = time] = starts(local, 'day');
    return known;
  };
}

/** Returns the starts of the previous, this, the next and the following window. */
function starts(local: DateTime, unit: DateTimeUnit): number[] {
  return [-1, 0, 1, 2].map((offset) =>
    local
      .plus({ [unit]: offset })
      .startOf(unit)
      .toMillis(),
  );
}
