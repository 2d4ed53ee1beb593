import * as z from 'zod';
import { dlpSection } from '../../checks/dlp/config.ts';
import {
  baseUrl,
  duration,
  extprocAddress,
  filePath,
  hostName,
  ipAddress,
  overriddenBy,
  port,
  positiveCount,
  section,
  needsRestart,
} from '../fields.ts';

const tls = section({
  cert_file: filePath
    .optional()
    .describe(
      'PEM certificate chain of the listener, leaf first. Required unless `SERVER_INSECURE_DEV=true`.',
    ),
  key_file: filePath.optional().describe('PEM private key of `cert_file`.'),
}).prefault({});

const extproc = section({
  address: extprocAddress
    .optional()
    .describe(
      'Address at which the sidecar listens for Envoy: `unix:/path` or `host:port`. Default: a Unix socket in a private directory. Set it if Envoy runs in another container.',
    ),
  tls: section({
    cert_file: filePath.optional().describe('PEM certificate that the sidecar presents to Envoy.'),
    key_file: filePath.optional().describe('PEM private key of `cert_file`.'),
    ca_file: filePath.optional().describe("PEM certificate authority that verifies Envoy's certificate."),
  }).prefault({}),
  token: z
    .string()
    .min(16)
    .optional()
    .describe(
      'Shared secret that Envoy sends as gRPC metadata, at least 16 characters. On loopback it may replace mutual TLS.',
    ),
  transport: z
    .enum(['lean', 'grpc-js'])
    .default('lean')
    .describe(
      "HTTP/2 server for gRPC: `lean` is the gateway's own, which is faster; `grpc-js` is the library's. Change it only to rule out the transport as the cause of a fault.",
    ),
}).prefault({});

export const server = section({
  host: needsRestart(
    ipAddress
      .default('0.0.0.0')
      .describe(
        'IP address on which clients are served. `0.0.0.0` stands for all addresses of this machine.',
      ),
  ),
  port: needsRestart(
    overriddenBy('SERVER_PORT', port.default(8080).describe('Port on which clients are served.')),
  ),
  admin_host: needsRestart(
    overriddenBy(
      'SERVER_ADMIN_HOST',
      hostName
        .default('127.0.0.1')
        .describe(
          'Host of the admin listener, which serves `/metrics`, `/healthz` and `/readyz` without authentication. Keep it off public networks.',
        ),
    ),
  ),
  admin_port: needsRestart(port.default(9090).describe('Port of the admin listener.')),
  log_level: overriddenBy(
    'LOG_LEVEL',
    z
      .enum(['debug', 'info', 'warn', 'error'])
      .default('info')
      .describe(
        'Lowest severity of log lines. Prompts, answers and credentials are not logged at any level.',
      ),
  ),
  read_timeout: needsRestart(
    duration('30s').describe(
      'Longest time for a client to send a whole request; then it gets 408. Raise it for clients that upload large prompts over slow links.',
    ),
  ),
  write_timeout: needsRestart(
    duration('120s').describe(
      'Longest time for which a client may stall while reading an answer. Does not limit the duration of a stream.',
    ),
  ),
  max_open_per_key: positiveCount
    .default(4_000)
    .describe('Maximum number of open requests per key and worker; further requests get 429.'),
  max_open_per_address: positiveCount
    .default(8_000)
    .describe(
      'Maximum number of open requests per client address and worker, across all keys; further requests get 429. Raise it, or set `auth.trusted_hops`, if clients share an address.',
    ),
  shed_after: duration('1s').describe(
    'Delay above which a worker refuses new requests with 503 `overloaded`: first those of the busiest keys; at three times the delay, all. Open requests continue.',
  ),
  max_payload_bytes: needsRestart(
    positiveCount
      .max(15 * 1_048_576)
      .default(2_097_152)
      .describe(
        'Largest request body in bytes; a larger one gets 413. Raise it for prompts with images or files.',
      ),
  ),
  shadow_mode: z
    .boolean()
    .default(false)
    .describe(
      'Record the actions of policies, loop and drift detection, DLP and the inspector without taking them. Use it to try rules on real traffic. Keys, locks and budgets still apply.',
    ),
  strip_budget_headers: z
    .boolean()
    .default(false)
    .describe(
      'Omit all budget and telemetry headers from answers. Set it to true if clients must not see their spending.',
    ),
  error_format: needsRestart(
    z
      .enum(['gateway', 'native'])
      .default('gateway')
      .describe(
        'Refusal format: `gateway` is one JSON form for all providers; `native` is the error object of the requested provider, for clients that understand no other.',
      ),
  ),
  refusal_details: z
    .enum(['full', 'brief'])
    .default('full')
    .describe(
      '`full` tells clients which rules, detectors and messages caused a refusal, `brief` only its type and reason. The audit trail always has the details.',
    ),
  public_url: baseUrl
    .optional()
    .describe(
      'URL at which clients reach the gateway. DPoP proofs are checked against it; set it if a proxy in front changes host or scheme.',
    ),
  tls: needsRestart(tls),
  extproc: needsRestart(extproc),
  workers: needsRestart(
    positiveCount
      .max(256)
      .default(1)
      .describe(
        'Number of sidecar processes that share the load. Use one for each core that Envoy and Redis leave free.',
      ),
  ),
  drain_timeout: duration('25s').describe(
    'Longest time after SIGTERM for open requests to finish. Keep it below the grace period of your orchestrator.',
  ),
  dlp: dlpSection,
})
  .prefault({})
  .describe('Listeners and request limits. See docs/serving.md.');

export const envoy = needsRestart(
  section({
    path: filePath
      .optional()
      .describe('Path of the Envoy binary. Default: Envoy on PATH, or the one that the setup installed.'),
    managed: z
      .boolean()
      .default(true)
      .describe(
        'Start and supervise Envoy. Set it to false if Envoy runs in another container or in a mesh.',
      ),
    max_heap_bytes: z
      .int()
      .min(134_217_728)
      .max(1_099_511_627_776)
      .default(2_147_483_648)
      .describe(
        'Heap that Envoy may use, in bytes. Above half of it, streams with much buffered data are reset; above nine tenths, requests get 503.',
      ),
  })
    .prefault({})
    .describe('The Envoy in front of the sidecar. See docs/serving.md.'),
);
