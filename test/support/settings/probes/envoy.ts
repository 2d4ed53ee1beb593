import { envoyBootstrap } from '../../../../src/envoy/render.ts';
import type { EnvoyLayout } from '../../../../src/envoy/layout.ts';
import { PROVIDER_NAMES } from '../../../../src/providers/registry.ts';
import type { Probe, Probes, See } from '../probe.ts';

const LAYOUT: EnvoyLayout = {
  sidecars: [{ kind: 'tcp', host: '127.0.0.1', port: 50051 }],
  adminSocketPath: '/run/admin.sock',
  systemCaFile: '/etc/system.pem',
  accessLogPath: '/dev/null',
};

/**
 * Observes the values under keys of this name in Envoy's bootstrap, in order; below the cluster of this name if one is
 * given.
 */
function rendered(name: string, cluster?: string): See {
  return ({ config }) => {
    const bootstrap = JSON.parse(JSON.stringify(envoyBootstrap(config, LAYOUT))) as Bootstrap;
    const { clusters } = bootstrap.static_resources;
    const root = cluster === undefined ? bootstrap : clusters.find((one) => one.name === cluster);
    return Promise.resolve(found(root, name));
  };
}

interface Bootstrap {
  readonly static_resources: { readonly clusters: readonly { readonly name: string }[] };
}

function found(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name ? [inner as unknown] : found(inner, name),
  );
}

const FILES = { cert_file: '/c.pem', key_file: '/k.pem' };
const EXTPROC_FILES = { ...FILES, ca_file: '/ca.pem' };

function ofProvider(provider: string): [string, Probe][] {
  const cluster = `provider_${provider}`;
  const base = { base_url: 'https://one.test' };
  return [
    [
      `providers.${provider}.base_url`,
      {
        values: ['https://one.test/base', 'https://two.test:8443/base'],
        see: rendered('socket_address', cluster),
        expected: [[{ address: 'one.test', port_value: 443 }], [{ address: 'two.test', port_value: 8443 }]],
      },
    ],
    [
      `providers.${provider}.ca_file`,
      {
        with: { providers: { [provider]: base } },
        values: [undefined, '/own.pem'],
        see: rendered('trusted_ca', cluster),
        expected: [[{ filename: '/etc/system.pem' }], [{ filename: '/own.pem' }]],
      },
    ],
  ];
}

function ofExtprocTls(
  name: 'cert_file' | 'key_file' | 'ca_file',
  see: See,
  one: unknown,
  other: unknown,
): Probe {
  return {
    with: {
      server: { extproc: { address: '10.0.0.1:50051', token: '0123456789abcdef', tls: EXTPROC_FILES } },
    },
    values: [`/${name}-1.pem`, `/${name}-2.pem`],
    see,
    expected: [one, other],
  };
}

export const envoyProbes: Probes = {
  ...Object.fromEntries(PROVIDER_NAMES.flatMap(ofProvider)),
  'server.host': {
    values: ['127.0.0.1', '127.0.0.2'],
    see: async (bench) => ((await rendered('socket_address')(bench)) as unknown[])[0],
    expected: [
      { address: '127.0.0.1', port_value: 8080 },
      { address: '127.0.0.2', port_value: 8080 },
    ],
  },
  'server.port': {
    values: [8081, 8082],
    see: async (bench) => ((await rendered('socket_address')(bench)) as unknown[])[0],
    expected: [
      { address: '0.0.0.0', port_value: 8081 },
      { address: '0.0.0.0', port_value: 8082 },
    ],
  },
  'server.read_timeout': {
    values: [undefined, '7s'],
    see: rendered('request_timeout'),
    expected: [['30s'], ['7s']],
  },
  'server.write_timeout': {
    values: [undefined, '7s'],
    see: async (bench) => [
      await rendered('stream_flush_timeout')(bench),
      ((await rendered('socket_options')(bench)) as { int_value: number }[][])[0]?.[0]?.int_value,
    ],
    expected: [
      [['120s'], 120_000],
      [['7s'], 7_000],
    ],
  },
  'server.tls.cert_file': {
    with: { server: { tls: FILES } },
    values: ['/one.pem', '/two.pem'],
    see: rendered('certificate_chain'),
    expected: [[{ filename: '/one.pem' }], [{ filename: '/two.pem' }]],
  },
  'server.tls.key_file': {
    with: { server: { tls: FILES } },
    values: ['/one.pem', '/two.pem'],
    see: rendered('private_key'),
    expected: [[{ filename: '/one.pem' }], [{ filename: '/two.pem' }]],
  },
  'server.extproc.tls.cert_file': ofExtprocTls(
    'cert_file',
    rendered('certificate_chain', 'sidecar'),
    [{ filename: '/cert_file-1.pem' }],
    [{ filename: '/cert_file-2.pem' }],
  ),
  'server.extproc.tls.key_file': ofExtprocTls(
    'key_file',
    rendered('private_key', 'sidecar'),
    [{ filename: '/key_file-1.pem' }],
    [{ filename: '/key_file-2.pem' }],
  ),
  'server.extproc.tls.ca_file': ofExtprocTls(
    'ca_file',
    rendered('trusted_ca', 'sidecar'),
    [{ filename: '/ca_file-1.pem' }],
    [{ filename: '/ca_file-2.pem' }],
  ),
  'proxy.connect_timeout': {
    values: [undefined, '250ms'],
    see: rendered('connect_timeout', 'provider_openai'),
    expected: [['5s'], ['0.25s']],
  },
  'redis.read_timeout': {
    values: [undefined, '3s'],
    see: rendered('message_timeout'),
    expected: [['7.5s'], ['8.5s']],
  },
  'auth.trusted_hops': {
    values: [undefined, 2],
    see: rendered('xff_num_trusted_hops'),
    expected: [[0], [2]],
  },
  'zsp.escalation_timeout': {
    with: { zsp: { escalation_enabled: true, escalation_secret: 'x'.repeat(32) } },
    values: [undefined, '10s'],
    see: rendered('max_message_timeout'),
    expected: [['72.5s'], ['22.5s']],
  },
  'envoy.max_heap_bytes': {
    values: [undefined, 268_435_456],
    see: rendered('max_heap_size_bytes'),
    expected: [[3 * 2_147_483_648], [3 * 268_435_456]],
  },
};
