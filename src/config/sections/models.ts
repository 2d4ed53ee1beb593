import * as z from 'zod';
import { PROVIDER_NAMES } from '../../providers/registry.ts';
import { durationOrZero, needsRestart, positiveCount, section, type Settings } from '../fields.ts';

const target = section({
  provider: z.enum(PROVIDER_NAMES).describe('Provider of the target.'),
  model: z.string().min(1).max(256).describe('Name of the model at the provider.'),
  credential: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      'Name of a credential of the same provider (`credentials`), used for every key that may use this target. Default: the credential of the key.',
    ),
  weight: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      'Share of the requests, relative to the weights of the other targets. A target with `on` and no weight is only a fallback.',
    ),
  on: needsRestart(
    z
      .array(z.union([z.enum(['connect', '429', '5xx']), z.literal(429)]).transform(String))
      .max(3)
      .default([])
      .describe(
        'Failures of another target after which this target is tried: no connection (`connect`), too many requests (`429`), a server error (`5xx`). Empty: none.',
      ),
  ),
  timeout: durationOrZero('0').describe(
    'Longest wait until the answer of this target begins, if the request has several targets. 0: `proxy.upstream_timeout`.',
  ),
  retry_uncertain: z
    .boolean()
    .default(false)
    .describe(
      'Whether to try this target, if it has `on`, even if another target may have processed the request: after a reset, a timeout, 502, 504 or 524. Both attempts are charged.',
    ),
});

export const modelsSection = z
  .record(
    z.string().regex(/^[A-Za-z0-9._:@/-]{1,128}$/, {
      error: 'must be named with 1 to 128 of A-Z a-z 0-9 . _ : @ / -',
    }),
    z.array(target).min(1).max(8),
  )
  .default({})
  .describe(
    'Names that clients can use in place of a model, each with the models that it stands for. See docs/routes.md.',
  );

export const routesSection = section({
  sticky: z
    .boolean()
    .default(false)
    .describe('Keep a session (`X-Gateway-Session-ID`) on the target of its first request.'),
  circuit_breaker: section({
    enabled: z
      .boolean()
      .default(true)
      .describe('Skip a target that keeps failing, if the name has other targets.'),
    threshold: positiveCount
      .default(5)
      .describe('Failures within the window after which a target is skipped.'),
    window_seconds: positiveCount
      .default(60)
      .describe(
        'Window in seconds in which failures are counted. After the same time, one request tries a skipped target again.',
      ),
  }).prefault({}),
})
  .prefault({})
  .describe('How the targets of `models` are chosen. See docs/routes.md.');

export type TargetSettings = Settings<typeof target>;
