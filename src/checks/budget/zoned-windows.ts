import { DateTime, type DateTimeUnit } from 'luxon';
import { BUDGET_WINDOW, BUDGET_WINDOWS, type BudgetWindow } from '../../budget-windows.ts';

const LOCAL_WINDOWS = BUDGET_WINDOWS.filter((window) => BUDGET_WINDOW[window].isLocal);

/** A time zone's calendars for `windows.lua`: `at:`, then window starts in Unix ms, separated by colons. */
export type ZonedCalendars = { readonly [Window in BudgetWindow]?: `at:${string}` };

/**
 * Returns a function that returns the calendars with the previous, current and next window, because the Redis clock may
 * differ. `zone` is an IANA name.
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
      LOCAL_WINDOWS.map((window) => [
        window,
        `at:${starts(local, BUDGET_WINDOW[window].calendar).join(':')}`,
      ]),
    );
    // All these windows begin at the start of a day.
    [, validFrom = time, validUntil = time] = starts(local, 'day');
    return known;
  };
}

function starts(local: DateTime, unit: DateTimeUnit): number[] {
  return [-1, 0, 1, 2].map((offset) =>
    local
      .plus({ [unit]: offset })
      .startOf(unit)
      .toMillis(),
  );
}
