/** Holds and running calls of a gateway that has stopped renewing them end after this time. */
export const LEASE_MS = 30_000;

/** Leaves room for two failed renewals. */
export function renewAfterMs(leaseMs = LEASE_MS): number {
  return leaseMs / 3;
}
