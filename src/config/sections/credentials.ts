import * as z from 'zod';
import { PROVIDER_NAMES } from '../../providers/registry.ts';
import { baseUrl, duration, filePath, needsRestart, section, type Settings } from '../fields.ts';

const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
  error: 'must be the name of an environment variable',
});

const vaultPath = z.string().regex(/^(?!\/)[A-Za-z0-9._\-/]{1,512}$/, {
  error: 'must be a Vault path without a leading slash, such as secret/data/openai',
});

const vault = section({
  address: baseUrl.describe('Address of HashiCorp Vault or OpenBao, such as `https://vault:8200`.'),
  path: vaultPath.describe(
    'Path of the secret below `/v1/`: `secret/data/openai` in KV version 2, `secret/openai` in version 1.',
  ),
  field: z.string().min(1).max(256).describe('Field of the secret that is the credential.'),
  role: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,128}$/, { error: 'must be 1 to 128 of A-Z a-z 0-9 . _ -' })
    .optional()
    .describe('Role for sign-in with a JWT from Kubernetes or another issuer.'),
  mount: vaultPath
    .default('kubernetes')
    .describe('Mount of the sign-in method, `kubernetes` or `jwt`, below `auth/`.'),
  jwt_file: filePath
    .default('/var/run/secrets/kubernetes.io/serviceaccount/token')
    .describe('File with the JWT to sign in with.'),
  token_file: filePath
    .optional()
    .describe(
      'File with a token, such as the one that Vault Agent writes, instead of `role`. It is read for each request.',
    ),
  ca_file: filePath
    .optional()
    .describe("PEM bundle that verifies Vault's certificate, instead of Node's bundle."),
}).refine(({ role, token_file: file }) => (role === undefined) !== (file === undefined), {
  error: 'must have either role or token_file',
});

/** Exactly one credential source, and `ttl`. */
const source = section({
  env: environmentName
    .optional()
    .describe('Environment variable of `gateway serve`. Other processes do not receive it.'),
  file: filePath
    .optional()
    .describe(
      'File that contains only the credential; a final line break is ignored. A renewed file takes effect within seconds.',
    ),
  command: z
    .array(z.string().min(1).max(4_096))
    .min(1)
    .max(64)
    .optional()
    .describe(
      'Program that prints the credential, with its arguments. It runs without a shell, and again after `ttl`.',
    ),
  vault: vault.optional().describe('Secret in HashiCorp Vault or OpenBao. Leases and tokens are renewed.'),
  workload_identity: z
    .enum(['aws', 'azure', 'gcp'])
    .optional()
    .describe(
      'Short-lived credentials from the cloud in which the gateway runs: `aws` for bedrock, `azure` for azure, `gcp` for gemini. Renewed before they expire.',
    ),
  ttl: duration('15m').describe(
    'Time after which `command` runs again, and a secret without a lease is read again.',
  ),
}).refine(
  ({ env, file, command, vault: server, workload_identity: cloud }) =>
    [env, file, command, server, cloud].filter((value) => value !== undefined).length === 1,
  { error: 'must have exactly one of env, file, command, vault and workload_identity' },
);

/** Provider of each cloud's credentials. */
const CLOUDS = { aws: 'bedrock', azure: 'azure', gcp: 'gemini' } as const;

const credential = section({
  provider: z.enum(PROVIDER_NAMES).describe('Provider to which the credential is sent, and no other host.'),
  from: source,
  max_age: duration('24h').describe(
    'How long the last value is used if its source cannot be read; then requests get 503 `credential_unavailable`.',
  ),
}).refine(
  ({ provider, from: { workload_identity: cloud } }) => cloud === undefined || CLOUDS[cloud] === provider,
  {
    path: ['from', 'workload_identity'],
    error: 'must match the provider: aws for bedrock, azure for azure, gcp for gemini',
  },
);

/** Provider credentials that the gateway manages (docs/provider-credentials.md). */
export const credentialsSection = needsRestart(
  z
    .record(
      z
        .string()
        .regex(/^[A-Za-z0-9._-]{1,64}$/, { error: 'must be named with 1 to 64 of A-Z a-z 0-9 . _ -' }),
      credential,
    )
    .default({})
    .describe('Provider credentials that the gateway holds on behalf of clients, by name.'),
);

export type CredentialSettings = Settings<typeof credential>;
