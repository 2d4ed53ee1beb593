import * as z from 'zod';
import { PROVIDER_NAMES } from '../../providers/registry.ts';
import { duration, filePath, needsRestart, section, type Settings } from '../fields.ts';

const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
  error: 'must be the name of an environment variable',
});

/** Where a credential is read from: exactly one of the three. */
const source = section({
  env: environmentName
    .optional()
    .describe('Environment variable of `gateway serve`. It is not handed on to other processes.'),
  file: filePath
    .optional()
    .describe('File with the credential, and a line break at most. A renewed file counts within seconds.'),
  command: z
    .array(z.string().min(1).max(4_096))
    .min(1)
    .max(64)
    .optional()
    .describe(
      'Program with its arguments, run without a shell; it prints the credential. Runs again after `ttl`.',
    ),
  ttl: duration('15m').describe('Time after which `command` runs again.'),
}).refine(({ env, file, command }) => [env, file, command].filter((one) => one !== undefined).length === 1, {
  error: 'must have one of env, file and command',
});

const credential = section({
  provider: z
    .enum(PROVIDER_NAMES)
    .describe('Provider that gets the credential. It is sent to no other host.'),
  from: source,
  max_age: duration('24h').describe(
    'How long the last value stays in use while its source cannot be read; then requests get 503 `credential_unavailable`.',
  ),
});

/** Provider credentials that the gateway holds (docs/provider-credentials.md). */
export const credentialsSection = needsRestart(
  z
    .record(
      z
        .string()
        .regex(/^[A-Za-z0-9._-]{1,64}$/, { error: 'must be named with 1 to 64 of A-Z a-z 0-9 . _ -' }),
      credential,
    )
    .default({})
    .describe('Provider credentials that the gateway holds in place of clients, by name.'),
);

export type CredentialSettings = Settings<typeof credential>;
