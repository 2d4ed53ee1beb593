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

/** Between Envoy and the sidecar. Without an address: a unix socket in a private directory. */
const extproc = section({
  address: extprocAddress.optional(),
  tls: section({
    cert_file: filePath.optional(),
    key_file: filePath.optional(),
    /** Signs the client certificate that Envoy must show. */
    ca_file: filePath.optional(),
  }).prefault({}),
  /** Shared secret in the gRPC metadata; enough on loopback only. */
  token: z.string().min(16).optional(),
  /** Which HTTP/2 server the sidecar speaks gRPC through: its own, or grpc-js (decision 110). */
  transport: z.enum(['lean', 'grpc-js']).default('lean'),
}).prefault({});

/** The listeners and what bounds a request (docs/serving.md). */
export const server = section({
  /** The main listener's address. */
  host: ipAddress.default('0.0.0.0'),
  port: port.default(8080),
  admin_host: hostName.default('127.0.0.1'),
  admin_port: port.default(9090),
  log_level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  /** Bounds the receipt of a whole request. */
  read_timeout: duration('30s'),
  /** Bounds how long a client may stall while it reads. */
  write_timeout: duration('120s'),
  /** Requests of one key that may be open at once in each worker. */
  max_open_per_key: positiveCount.default(4_000),
  /** The same of one client address (`auth.trusted_hops`), whatever their keys. */
  max_open_per_address: positiveCount.default(8_000),
  max_payload_bytes: positiveCount.max(15 * 1_048_576).default(2_097_152),
  shadow_mode: z.boolean().default(false),
  strip_budget_headers: z.boolean().default(false),
  /** Bodies of refusals: the gateway's own, or the error object of the provider that was asked. */
  error_format: z.enum(['gateway', 'native']).default('gateway'),
  /** Whether a refusal tells its client the rules, detectors and messages behind it, or its type and reason alone. */
  refusal_details: z.enum(['full', 'brief']).default('full'),
  /** The address that clients know, for DPoP proofs. */
  public_url: baseUrl.optional(),
  tls,
  extproc,
  /** Sidecar processes. */
  workers: positiveCount.max(256).default(1),
  drain_timeout: duration('25s'),
  dlp: dlpSection,
}).prefault({});

/** The Envoy in front (docs/serving.md). */
export const envoy = section({
  /** The binary; unset: found on PATH or where the set-up put it. */
  path: filePath.optional(),
  /** False where Envoy is another container (compose, mesh). */
  managed: z.boolean().default(true),
  /**
   * What its heap may grow to: above half of it, streams that hold much are reset; above nine tenths, requests get 503.
   */
  max_heap_bytes: z.int().min(134_217_728).max(1_099_511_627_776).default(2_147_483_648),
}).prefault({});
