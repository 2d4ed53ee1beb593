/** A stopped gateway's holds and running calls end after this time. */
export const LEASE_MS = 30_000;

/** Leaves room for two failed renewals. */
export function renewAfterMs(leaseMs = LEASE_MS): number {
  return leaseMs / 3;
}
