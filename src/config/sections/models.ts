import * as z from 'zod';
import { PROVIDER_NAMES } from '../../providers/registry.ts';
import { durationOrZero, needsRestart, positiveCount, section, type Settings } from '../fields.ts';

const target = section({
  provider: z.enum(PROVIDER_NAMES).describe('Provider that is asked.'),
  model: z.string().min(1).max(256).describe('Model as the provider names it.'),
  credential: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      'Name in `credentials`, of the same provider, with which this target is asked for every key that may use it. Default: the credential of the key.',
    ),
  weight: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      'Share of the requests, in relation to the weights of the other targets. A target with `on` and without a weight is asked only after another one.',
    ),
  on: needsRestart(
    z
      .array(z.union([z.enum(['connect', '429', '5xx']), z.literal(429)]).transform(String))
      .max(3)
      .default([])
      .describe(
        'When this target is asked after another one: no connection (`connect`), too many requests (`429`), an error of the server (`5xx`). Empty: never.',
      ),
  ),
  timeout: durationOrZero('0').describe(
    "Longest wait for the beginning of this target's answer, if the request may go to others too; then it has timed out. 0: `proxy.upstream_timeout`.",
  ),
  retry_uncertain: z
    .boolean()
    .default(false)
    .describe(
      'Ask this target, if it has `on`, also after a request that may have been processed: reset, timed out, 502, 504 or 524. Both are charged.',
    ),
});

/** Names that stand where a model's name would (docs/routes.md). */
export const modelsSection = z
  .record(
    z.string().regex(/^[A-Za-z0-9._:@/-]{1,128}$/, {
      error: 'must be named with 1 to 128 of A-Z a-z 0-9 . _ : @ / -',
    }),
    z.array(target).min(1).max(8),
  )
  .default({})
  .describe(
    'Names that clients may use in place of a model, with the models that they stand for. See docs/routes.md.',
  );

export const routesSection = section({
  sticky: z
    .boolean()
    .default(false)
    .describe('Keep a session (`X-Gateway-Session-ID`) with the target that its first request was given.'),
  circuit_breaker: section({
    enabled: z
      .boolean()
      .default(true)
      .describe('Pass over targets that keep failing, where the name has another one.'),
    threshold: positiveCount
      .default(5)
      .describe('Failures within the window after which a target is passed over.'),
    window_seconds: positiveCount
      .default(60)
      .describe(
        'Window, in seconds, in which failures are counted, and time until one request tries the target again.',
      ),
  }).prefault({}),
})
  .prefault({})
  .describe('How the targets of `models` are chosen. See docs/routes.md.');

export type TargetSettings = Settings<typeof target>;
