/** Holds and running calls of a stopped gateway end after this time. */
export const LEASE_MS = 30_000;

/** Returns the renewal interval: two renewals in a row may fail. */
export function renewAfterMs(leaseMs = LEASE_MS): number {
  return leaseMs / 3;
}
