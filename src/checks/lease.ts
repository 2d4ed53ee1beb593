/** After this time, the reservations and running calls of a stopped gateway expire. */
export const LEASE_MS = 30_000;

/** Two renewals in a row may fail. */
export function renewAfterMs(leaseMs = LEASE_MS): number {
  return leaseMs / 3;
}
