import * as z from 'zod';
import { fromProviders, PROVIDER_NAMES } from '../../providers/registry.ts';
import { needsRestart, baseUrl, filePath, section, authority, duration } from '../fields.ts';
import { hostedToolsSettings } from '../../checks/hosted-tools/config.ts';
import { remoteContentSettings } from '../../checks/remote-content/config.ts';
import { storedObjectsSettings } from '../../checks/stored-objects/config.ts';

const provider = section({
  base_url: needsRestart(
    baseUrl.optional().describe("Base URL of the API. Default: the provider's public one."),
  ),
  ca_file: needsRestart(
    filePath
      .optional()
      .describe("PEM bundle that verifies the provider's certificate, instead of the system bundle."),
  ),
}).prefault({});

const azure = section({
  base_url: needsRestart(
    baseUrl
      .optional()
      .describe('URL of your resource: `https://<name>.openai.azure.com`. Required to use Azure.'),
  ),
  ca_file: needsRestart(
    filePath
      .optional()
      .describe("PEM bundle that verifies the provider's certificate, instead of the system bundle."),
  ),
  deployments: z
    .record(z.string().min(1), z.string().min(1))
    .default({})
    .describe('Model names by deployment name, for prices and allowed models.'),
}).prefault({});

export const providersSection = section({ ...fromProviders(() => provider), azure })
  .prefault({})
  .describe('Provider URLs and certificates. See docs/routing.md#upstreams.');

/** Matches a method and a path that begins with a provider, such as `POST /openai/v1/audio/*`. */
export const UNKNOWN_ENDPOINT_PATTERN = new RegExp(
  `^(GET|POST) (/(?:${PROVIDER_NAMES.join('|')})(?:/[A-Za-z0-9_~@:.*-]+)+)$`,
);

const unknownEndpoint = z.string().regex(UNKNOWN_ENDPOINT_PATTERN, {
  error:
    'must be a method and a path that begins with a provider, such as `POST /openai/v1/audio/*`; `*` matches one segment, a final `**` any number',
});

export const proxy = section({
  connect_timeout: needsRestart(
    duration('5s').describe(
      'Longest wait for a connection to a provider or MCP server, including the TLS handshake; then 502 `upstream_unavailable`. Raise it for servers that are distant or start on demand.',
    ),
  ),
  upstream_timeout: needsRestart(
    duration('300s').describe(
      'Longest wait for the headers of an answer, for the next chunk of a stream, and for an unstreamed answer as a whole; then 504. Raise it for models that think for a long time without streaming.',
    ),
  ),
  client_keys: z
    .enum(['allow', 'deny', 'prefer'])
    .default('allow')
    .describe(
      'How to treat provider keys that clients send: `allow` uses them if the proxy key has no credential for the provider, `prefer` even if it has one, `deny` refuses them with 400.',
    ),
  unknown_endpoints: z
    .union([z.enum(['deny', 'allow']), z.array(unknownEndpoint)], {
      error: 'must be deny, allow, or a list of patterns such as `POST /openai/v1/audio/*`',
    })
    .default('deny')
    .describe(
      'Endpoints that the gateway cannot inspect: refuse them all, pass them all to providers that are not self-hosted, or pass only those that match a list of patterns such as `POST /openai/v1/audio/*`.',
    ),
  ...hostedToolsSettings,
  ...remoteContentSettings,
  ...storedObjectsSettings,
  authorities: z
    .record(authority, z.enum(PROVIDER_NAMES))
    .default({})
    .describe(
      'Transparent egress: maps the hosts that clients request to providers. If set, all other hosts are refused.',
    ),
})
  .prefault({})
  .describe('Endpoints and features that the gateway passes to providers. See docs/routing.md.');
