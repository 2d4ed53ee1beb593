import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { renderEnvoy } from '../../src/envoy/render.ts';
import type { TransportName } from '../../src/extproc/server.ts';
import { startEnvoy, type EnvoyProcess } from '../../src/runtime/envoy-process.ts';
import { freePort } from '../../src/runtime/free-port.ts';
import type { Target } from '../support/load.ts';
import {
  CHAT,
  gatewayConfig,
  MEASURED_CORE,
  pin,
  said,
  startGateway,
  startOnParts,
  type Parts,
  type Rig,
} from './gateway-rig.ts';
import { EVERY_CHECK, newTurns } from './every-check.ts';

export interface Rigs {
  readonly rigs: readonly Rig[];
  readonly redisPort: number;
  /** A path of the pass-through Envoy that answers by itself. */
  readonly directResponse: Target;
  /** A request of a key that is locked. */
  readonly quarantined: Target;
  close(): Promise<void>;
}

/** DLP looks for everything it knows in one gateway, and is off in the other. */
export function startRigs(): Promise<Rigs> {
  return startOnParts(async (parts) => {
    const passThrough = await startPassThrough(parts);
    const noop = await startNoop(parts, 'lean');
    const gateway = await startGateway(parts, 'gateway');
    const withDlp = await startGateway(parts, 'gateway with DLP', {
      server: { dlp: { enabled: true, scan_network: true } },
    });
    const everyCheck = await startGateway(parts, 'gateway, every check', EVERY_CHECK);
    return {
      rigs: [
        { name: 'direct', port: parts.providerPort, path: CHAT, headers: {}, cpu: [] },
        passThrough,
        noop,
        gateway.rig,
        withDlp.rig,
        { ...everyCheck.rig, next: newTurns(everyCheck.rig) },
      ],
      redisPort: parts.redisPort,
      directResponse: { ...passThrough, path: '/direct' },
      quarantined: { ...gateway.rig, headers: gateway.quarantinedHeaders },
    };
  });
}

/** The no-op processor behind an Envoy of its own, over each transport. */
export function startTransports(): Promise<{ readonly rigs: readonly Rig[]; close(): Promise<void> }> {
  return startOnParts(async (parts) => ({
    rigs: [await startNoop(parts, 'lean'), await startNoop(parts, 'grpc-js')],
  }));
}

async function startPassThrough(parts: Parts): Promise<Rig> {
  const port = await freePort();
  const socket = (address: string, port_value: number) => ({ socket_address: { address, port_value } });
  const manager =
    'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
  const config = {
    admin: { address: { pipe: { path: join(parts.directory, 'p.sock') } } },
    static_resources: {
      listeners: [
        {
          name: 'main',
          address: socket('127.0.0.1', port),
          filter_chains: [
            {
              filters: [
                {
                  name: 'http',
                  typed_config: {
                    '@type': manager,
                    stat_prefix: 'main',
                    http_filters: [
                      {
                        name: 'router',
                        typed_config: {
                          '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router',
                        },
                      },
                    ],
                    route_config: {
                      virtual_hosts: [
                        {
                          name: 'all',
                          domains: ['*'],
                          routes: [
                            {
                              match: { path: '/direct' },
                              direct_response: { status: 403, body: { inline_string: 'x'.repeat(60) } },
                            },
                            { match: { prefix: '/' }, route: { cluster: 'provider', timeout: '0s' } },
                          ],
                        },
                      ],
                    },
                  },
                },
              ],
            },
          ],
        },
      ],
      clusters: [
        {
          name: 'provider',
          type: 'STATIC',
          load_assignment: {
            cluster_name: 'provider',
            endpoints: [
              { lb_endpoints: [{ endpoint: { address: socket('127.0.0.1', parts.providerPort) } }] },
            ],
          },
        },
      ],
    },
  };
  const envoy = await runEnvoy(parts, 'p', stringify(config));
  return {
    name: 'pass-through',
    port,
    path: CHAT,
    headers: {},
    cpu: [{ part: 'envoy', pid: envoy.pid ?? 0 }],
  };
}

async function startNoop(parts: Parts, transport: TransportName): Promise<Rig> {
  const socketPath = join(parts.directory, `${transport}.sock`);
  const child = fork(join(import.meta.dirname, 'noop.ts'), [
    socketPath,
    `127.0.0.1:${parts.providerPort}`,
    transport,
  ]);
  parts.stops.push(() => void child.kill());
  await said(child);
  pin(child.pid ?? 0, MEASURED_CORE);
  const port = await freePort();
  const config = gatewayConfig(parts, port, await freePort());
  const envoy = await runEnvoy(
    parts,
    `n-${transport}`,
    renderEnvoy(config, {
      sidecars: [{ kind: 'unix', path: socketPath }],
      adminSocketPath: join(parts.directory, `n-${transport}.sock`),
      systemCaFile: '/etc/ssl/certs/ca-certificates.crt',
      accessLogPath: '/dev/null',
    }),
  );
  return {
    name: transport === 'lean' ? 'no-op' : 'no-op over grpc-js',
    port,
    path: `/openai${CHAT}`,
    headers: { authorization: 'Bearer sk-bench' },
    cpu: [
      { part: 'envoy', pid: envoy.pid ?? 0 },
      { part: 'node', pid: child.pid ?? 0 },
    ],
  };
}

async function runEnvoy(parts: Parts, name: string, yaml: string): Promise<EnvoyProcess> {
  const configFile = join(parts.directory, `${name}.yaml`);
  writeFileSync(configFile, yaml);
  const envoy = startEnvoy({
    binary: parts.binary,
    configFile,
    adminSocketPath: join(parts.directory, `${name}.sock`),
    concurrency: 1,
    onLine: () => undefined,
  });
  parts.stops.push(() => envoy.stop());
  await envoy.waitUntilLive(20_000);
  pin(envoy.pid ?? 0, MEASURED_CORE);
  return envoy;
}
