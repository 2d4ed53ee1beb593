import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { typed, type EnvoyObject } from '../../src/envoy/layout.ts';
import { startEnvoy } from '../../src/runtime/envoy-process.ts';
import { freePort } from '../../src/runtime/free-port.ts';
import { MEASURED_CORE, pin } from './machine.ts';
import type { Parts } from './parts.ts';
import { CHAT, type Rig } from './rig.ts';

/** An Envoy that forwards everything, and answers `/direct` itself. */
export async function startPassThrough(parts: Parts): Promise<Rig> {
  const port = await freePort();
  const pid = await runEnvoy(parts, 'pass', stringify(plainConfig(parts, 'pass', port)));
  return { name: 'Envoy pass-through', port, path: CHAT, headers: {}, processes: [{ part: 'envoy', pid }] };
}

/** An otherwise plain Envoy that calls the processor on this socket four times per request. */
export async function startPlainEnvoy(
  parts: Parts,
  processorSocket: string,
): Promise<{ readonly port: number; readonly pid: number }> {
  const port = await freePort();
  const config = plainConfig(parts, 'processed', port, processorSocket);
  return { port, pid: await runEnvoy(parts, 'processed', stringify(config)) };
}

/** Starts an Envoy with one worker on the measured core; resolves with its process id. */
export async function runEnvoy(parts: Parts, name: string, yaml: string): Promise<number> {
  const configFile = join(parts.directory, `${name}.yaml`);
  writeFileSync(configFile, yaml);
  const envoy = startEnvoy({
    binary: parts.binary,
    configFile,
    adminSocketPath: adminSocket(parts, name),
    concurrency: 1,
    onLine: () => undefined,
  });
  parts.stops.push(() => envoy.stop());
  await envoy.waitUntilLive(20_000);
  const pid = envoy.pid ?? 0;
  pin(pid, MEASURED_CORE);
  return pid;
}

export function adminSocket(parts: Parts, name: string): string {
  return join(parts.directory, `${name}.sock`);
}

function plainConfig(parts: Parts, name: string, port: number, processorSocket?: string): EnvoyObject {
  const router = { name: 'router', typed_config: typed('envoy.extensions.filters.http.router.v3.Router') };
  const isProcessed = processorSocket !== undefined;
  const manager = typed('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
    stat_prefix: 'main',
    http_filters: [...(isProcessed ? [processor()] : []), router],
    route_config: routes(),
  });
  return {
    admin: { address: { pipe: { path: adminSocket(parts, name) } } },
    static_resources: {
      listeners: [
        {
          name: 'main',
          address: socketAddress(port),
          per_connection_buffer_limit_bytes: 16 << 20,
          filter_chains: [{ filters: [{ name: 'http', typed_config: manager }] }],
        },
      ],
      clusters: [
        cluster('provider', socketAddress(parts.providerPort)),
        ...(isProcessed ? [{ ...cluster('processor', { pipe: { path: processorSocket } }), ...HTTP2 }] : []),
      ],
    },
  };
}

function routes(): EnvoyObject {
  const direct = { status: 403, body: { inline_string: 'x'.repeat(60) } };
  return {
    virtual_hosts: [
      {
        name: 'all',
        domains: ['*'],
        routes: [
          { match: { path: '/direct' }, direct_response: direct },
          { match: { prefix: '/' }, route: { cluster: 'provider', timeout: '0s' } },
        ],
      },
    ],
  };
}

function processor(): EnvoyObject {
  return {
    name: 'processor',
    typed_config: typed('envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor', {
      grpc_service: { envoy_grpc: { cluster_name: 'processor' }, timeout: '0s' },
      message_timeout: '10s',
      allow_mode_override: true,
      processing_mode: {
        request_header_mode: 'SEND',
        request_body_mode: 'BUFFERED',
        response_header_mode: 'SEND',
        response_body_mode: 'BUFFERED',
      },
    }),
  };
}

function cluster(name: string, address: EnvoyObject): EnvoyObject {
  return {
    name,
    type: 'STATIC',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
  };
}

const HTTP2: EnvoyObject = {
  typed_extension_protocol_options: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': typed(
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      { explicit_http_config: { http2_protocol_options: {} } },
    ),
  },
};

function socketAddress(port: number): EnvoyObject {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}
