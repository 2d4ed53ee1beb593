import * as z from 'zod';
import { OPERATIONS, type OperationName } from './table.ts';

/** Calls in one request; a change has a request of its own. */
export const MAX_CALLS = 100;
/** Cost of the calls of one request together; the most that one call may have. */
export const MAX_COST = 4_000;

/** Body of `POST /api/operations`. */
export const callsBody = z.strictObject({
  calls: z
    .array(
      z.strictObject({
        operation: z.enum(Object.keys(OPERATIONS) as [OperationName, ...OperationName[]]),
        arguments: z.record(z.string(), z.unknown()).default({}),
      }),
    )
    .min(1)
    .max(MAX_CALLS),
  /** Why a change is made, for the audit trail. */
  reason: z.string().max(1_024).optional(),
});

/** Results in the order of the calls; a call without a result has nothing to show. */
export const callsAnswer = z.object({ results: z.array(z.object({ result: z.unknown().optional() })) });

export type Call = z.input<typeof callsBody>['calls'][number];
