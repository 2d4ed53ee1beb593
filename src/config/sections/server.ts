import * as z from 'zod';
import { dlpSection } from '../../checks/dlp/config.ts';
import {
  baseUrl,
  duration,
  extprocAddress,
  filePath,
  hostName,
  ipAddress,
  port,
  positiveCount,
  section,
} from '../fields.ts';

const tls = section({
  /** PEM, leaf first. */
  cert_file: filePath.optional(),
  key_file: filePath.optional(),
}).prefault({});

/** Connection between Envoy and the sidecar. Without an address: a unix socket in a private directory. */
const extproc = section({
  address: extprocAddress.optional(),
  tls: section({
    cert_file: filePath.optional(),
    key_file: filePath.optional(),
    /** CA of the client certificate that Envoy must present. */
    ca_file: filePath.optional(),
  }).prefault({}),
  /** Shared secret in the gRPC metadata; sufficient only on loopback. */
  token: z.string().min(16).optional(),
  /** HTTP/2 server of the sidecar: its own, or grpc-js (decision 110). */
  transport: z.enum(['lean', 'grpc-js']).default('lean'),
}).prefault({});

/** Listeners and request limits (docs/serving.md). */
export const server = section({
  host: ipAddress.default('0.0.0.0'),
  port: port.default(8080),
  admin_host: hostName.default('127.0.0.1'),
  admin_port: port.default(9090),
  log_level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  /** Limits the time to receive a whole request. */
  read_timeout: duration('30s'),
  /** Limits how long a client may stall while reading. */
  write_timeout: duration('120s'),
  /** Open requests per key in each worker. */
  max_open_per_key: positiveCount.default(4_000),
  /** Open requests per client address in each worker (`auth.trusted_hops`), across keys. */
  max_open_per_address: positiveCount.default(8_000),
  max_payload_bytes: positiveCount.max(15 * 1_048_576).default(2_097_152),
  shadow_mode: z.boolean().default(false),
  strip_budget_headers: z.boolean().default(false),
  /** Format of refusals: the gateway's own, or the provider's error object. */
  error_format: z.enum(['gateway', 'native']).default('gateway'),
  /** Whether refusals name the rules, detectors and messages behind them, or only type and reason. */
  refusal_details: z.enum(['full', 'brief']).default('full'),
  /** The public address of the gateway, for DPoP proofs. */
  public_url: baseUrl.optional(),
  tls,
  extproc,
  workers: positiveCount.max(256).default(1),
  drain_timeout: duration('25s'),
  dlp: dlpSection,
}).prefault({});

/** The Envoy in front (docs/serving.md). */
export const envoy = section({
  /** Path of the binary. Unset: found on PATH or installed by the set-up. */
  path: filePath.optional(),
  /** False if Envoy runs in another container (compose, mesh). */
  managed: z.boolean().default(true),
  /** Heap limit. Above half of it, streams with large buffers are reset; above nine tenths, requests get 503. */
  max_heap_bytes: z.int().min(134_217_728).max(1_099_511_627_776).default(2_147_483_648),
}).prefault({});
