import * as z from 'zod';
import { OPERATIONS, type OperationName } from './table.ts';

/** Maximum number of reads per request. Each change needs its own request. */
export const MAX_CALLS = 100;

/** Body of `POST /api/operations`. */
export const callsBody = z.strictObject({
  calls: z
    .array(
      z.strictObject({
        operation: z.enum(Object.keys(OPERATIONS) as [OperationName, ...OperationName[]], {
          error: ({ input }) =>
            `this gateway has no operation ${String(input).slice(0, 64)}: use the gateway command of its release`,
        }),
        arguments: z.record(z.string(), z.unknown()).default({}),
      }),
    )
    .min(1)
    .max(MAX_CALLS),
  reason: z.string().max(1_024).optional(),
});

/** Results in call order; void calls have no `result`. */
export const callsAnswer = z.object({ results: z.array(z.object({ result: z.unknown().optional() })) });

export type Call = z.input<typeof callsBody>['calls'][number];
