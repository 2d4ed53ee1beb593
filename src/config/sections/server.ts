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
      'Address at which the sidecar listens for Envoy: `unix:/path` or `host:port`. Default: a Unix socket in a private directory. Set it when Envoy runs in another container.',
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
      "HTTP/2 server for gRPC: `lean` is the gateway's own and faster, `grpc-js` the library's. Change it only to rule out the transport as the cause of a fault.",
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
      .describe('Lowest severity of log lines. No level logs prompts, answers or credentials.'),
  ),
  read_timeout: needsRestart(
    duration('30s').describe(
      'Longest time for a client to send a whole request; then it gets 408. Raise it for clients that upload large prompts over slow links.',
    ),
  ),
  write_timeout: needsRestart(
    duration('120s').describe(
      'Longest time for a client to stall while it reads an answer. It does not bound how long a stream runs.',
    ),
  ),
  max_open_per_key: positiveCount
    .default(4_000)
    .describe('Requests of one key that may be open at the same time in each worker; more get 429.'),
  max_open_per_address: positiveCount
    .default(8_000)
    .describe(
      'Requests of one client address that may be open at the same time in each worker, across all keys; more get 429. Raise it, or set `auth.trusted_hops`, when clients share an address.',
    ),
  shed_after: duration('1s').describe(
    'Delay beyond which a worker refuses new requests with 503 `overloaded`: first those of the busiest keys, at three times the delay all. Open requests continue.',
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
      'Record what policies, loops, drift, DLP and the inspector would do, without doing it. Use it to try rules on real traffic. Keys, locks and budgets still apply.',
    ),
  strip_budget_headers: z
    .boolean()
    .default(false)
    .describe(
      'Leave all budget and telemetry headers out of answers. Set it when clients must not see what they spend.',
    ),
  error_format: needsRestart(
    z
      .enum(['gateway', 'native'])
      .default('gateway')
      .describe(
        'Bodies of refusals: `gateway` is one JSON form for all, `native` is the error object of the requested provider, for clients that understand only that.',
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
      'URL under which clients reach the gateway. DPoP proofs are checked against it; set it when a proxy in front changes host or scheme.',
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
        'Start and supervise Envoy. Set it to false when Envoy runs in another container or in a mesh.',
      ),
    max_heap_bytes: z
      .int()
      .min(134_217_728)
      .max(1_099_511_627_776)
      .default(2_147_483_648)
      .describe(
        'Heap that Envoy may use, in bytes. Above half of it, streams that hold much data are reset; above nine tenths, requests get 503.',
      ),
  })
    .prefault({})
    .describe('The Envoy in front of the sidecar. See docs/serving.md.'),
);
