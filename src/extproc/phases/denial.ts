import { GatewayError } from '../../errors.ts';
import type { Denial } from '../../pipeline/check.ts';

/** Ends a phase where a check denied. */
export function throwDenial(denial: Denial | undefined): void {
  if (denial === undefined) return;
  throw new GatewayError(denial.type, denial.message, {
    headers: denial.headers ?? {},
    ...(denial.details !== undefined && { details: denial.details }),
  });
}
