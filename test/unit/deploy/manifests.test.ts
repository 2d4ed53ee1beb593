import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { defaultConfig } from '../../support/default-config.ts';
import type { Config, ConfigInput } from '../../../src/config/schema.ts';
import { renderEnvoyGateway, renderIstio } from '../../../src/envoy/mesh.ts';
import type { EnvoyLayout } from '../../../src/envoy/layout.ts';
import { renderEnvoy, RUNTIME } from '../../../src/envoy/render.ts';
import { ENVOY_VERSION } from '../../../src/runtime/envoy-binary.ts';
import { workerAddresses } from '../../../src/runtime/worker-protocol.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const FOLDERS = ['kubernetes', 'istio', 'envoy-gateway'] as const;
const NAMES = { name: 'ai-firewall-gateway', namespace: 'ai-firewall-gateway' };

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: { readonly name: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

function manifestsOf(folder: string): Manifest[] {
  return readdirSync(join(root, 'deploy', folder))
    .filter((file) => file.endsWith('.yaml') && file !== 'gateway.yaml')
    .flatMap((file) => parseAllDocuments(read(`deploy/${folder}/${file}`)))
    .map((document) => document.toJS() as Manifest);
}

function configOf(folder: string): Config {
  const { redis, ...rest } = parse(read(`deploy/${folder}/gateway.yaml`)) as ConfigInput;
  return defaultConfig({ ...rest, redis: { ...redis, addr: 'redis:6379', password: 'x' } });
}

function layoutOf(config: Config): EnvoyLayout {
  return {
    sidecars: workerAddresses(config, '/run/gateway'),
    adminSocketPath: '/run/gateway/envoy-admin.sock',
    systemCaFile: '/etc/ssl/certs/ca-certificates.crt',
    accessLogPath: '/dev/stdout',
  };
}

const object = z.record(z.string(), z.unknown());
const parsePatch = z.looseObject({
  provider: z.looseObject({
    kubernetes: z.looseObject({
      envoyDeployment: z.looseObject({ patch: z.looseObject({ value: z.object({ spec: object }) }) }),
    }),
  }),
});

const networkPolicy = z.object({
  policyTypes: z.array(z.string()),
  egress: z.array(
    z.object({
      to: z.array(
        z.looseObject({
          ipBlock: z.object({ cidr: z.string(), except: z.array(z.string()) }).optional(),
        }),
      ),
      ports: z.array(z.object({ port: z.int(), protocol: z.string().optional() })),
    }),
  ),
});

const schemas = JSON.parse(read('test/fixtures/crds/crds.json')) as Record<string, object>;
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });

function errorsOf(manifest: Manifest): string[] {
  const schema = schemas[`${manifest.apiVersion} ${manifest.kind}`];
  if (schema === undefined) return [`no schema of ${manifest.apiVersion} ${manifest.kind}`];
  const validate = ajv.compile(schema);
  validate(manifest);
  return (validate.errors ?? []).map(({ instancePath, message = '', params }) =>
    [manifest.kind, instancePath, message, JSON.stringify(params)].join(' '),
  );
}

describe.each(FOLDERS)('deploy/%s', (folder) => {
  const manifests = manifestsOf(folder);

  it('has resources that their own schemas take', () => {
    const applied = manifests.filter(({ kind }) => kind !== 'Kustomization');
    expect(applied.flatMap(errorsOf)).toEqual([]);
  });

  it('has a valid gateway.yaml, with a socket that only one user may use', () => {
    const { envoy, server } = configOf(folder);
    expect([envoy.managed, server.extproc.address]).toEqual([
      false,
      'unix:/run/gateway/sockets/extproc.sock',
    ]);
    expect(read(`deploy/${folder}/gateway.yaml`)).not.toMatch(/password: (?!\$\{)/);
  });

  it('lists every file that it consists of', () => {
    const { resources } = parse(read(`deploy/${folder}/kustomization.yaml`)) as { resources: string[] };
    const files = readdirSync(join(root, 'deploy', folder)).filter((file) => file.endsWith('.yaml'));
    expect(resources.toSorted()).toEqual(
      files.filter((file) => file !== 'kustomization.yaml' && file !== 'gateway.yaml').toSorted(),
    );
  });

  it('runs the sidecar as an unprivileged user, probed, and stops it after Envoy’s drain', () => {
    const text = JSON.stringify(manifests);
    for (const part of [
      '"runAsNonRoot":true',
      '"allowPrivilegeEscalation":false',
      '"readOnlyRootFilesystem":true',
      '"drop":["ALL"]',
      '"path":"/readyz"',
      '"path":"/healthz"',
      '"command":["sleep","32"]',
      '"minAvailable":1',
      '"secretKeyRef":{"name":"gateway-redis","key":"addr"}',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('SERVER_INSECURE_DEV');
  });
});

describe('deploy/kubernetes', () => {
  it('runs the Envoy that the configuration is made for, by the entry point of compose', () => {
    const { images } = parse(read('deploy/kubernetes/kustomization.yaml')) as {
      images: { name: string; newTag: string }[];
    };
    expect(images).toContainEqual({ name: 'envoyproxy/envoy', newTag: `v${ENVOY_VERSION}` });
    expect(read('docker-compose.yml')).toContain(
      './deploy/kubernetes/run-envoy.sh:/etc/envoy/run-envoy.sh:ro',
    );
    expect(JSON.stringify(manifestsOf('kubernetes'))).toContain('"terminationGracePeriodSeconds":60');
  });
});

describe('the NetworkPolicy', () => {
  const policy = manifestsOf('kubernetes').find(({ kind }) => kind === 'NetworkPolicy');
  const { policyTypes, egress } = networkPolicy.parse(policy?.spec);

  /** CIDRs that a port reaches, and those left out of each. */
  function reached(port: number): Record<string, readonly string[]> {
    const rules = egress.filter(({ ports }) => ports.some((one) => one.port === port));
    return Object.fromEntries(
      rules.flatMap(({ to }) =>
        to.flatMap(({ ipBlock }) => (ipBlock ? [[ipBlock.cidr, ipBlock.except] as const] : [])),
      ),
    );
  }

  it('allows the pods to reach DNS, Redis and public TLS, and nothing else', () => {
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    expect(egress.flatMap(({ ports }) => ports.map(({ port }) => port)).toSorted()).toEqual(
      [53, 53, 443, 6379, 26_379].toSorted(),
    );
    for (const { to } of egress) expect(to.length).toBeGreaterThan(0);
    expect(reached(53)).toEqual({});
  });

  it('keeps providers’ port from metadata services and private networks, and Redis’s from metadata services', () => {
    const v4 = [
      '10.0.0.0/8',
      '100.64.0.0/10',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '172.16.0.0/12',
      '192.168.0.0/16',
    ];
    const { '0.0.0.0/0': exceptV4, '::/0': exceptV6 } = reached(443);
    expect(exceptV4).toEqual(v4);
    expect(exceptV6).toEqual(expect.arrayContaining(['::1/128', 'fc00::/7', 'fe80::/10']));
    expect(reached(6379)).toMatchObject({ '0.0.0.0/0': ['169.254.0.0/16'], '::/0': ['fe80::/10'] });
  });
});

it('the patch of Envoy Gateway’s pods is valid in a Deployment', () => {
  const proxy = manifestsOf('envoy-gateway').find(({ kind }) => kind === 'EnvoyProxy');
  const { spec } = parsePatch.parse(proxy?.spec).provider.kubernetes.envoyDeployment.patch.value;
  expect(errorsOf({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { selector: {}, ...spec } })).toEqual(
    [],
  );
});

describe('the resources rendered for a mesh', () => {
  const config = configOf('istio');
  const whole = parse(renderEnvoy(config, layoutOf(config))) as {
    static_resources: { listeners: [Record<string, unknown>]; clusters: unknown[] };
  };
  const [listener] = whole.static_resources.listeners;

  it('for Istio is valid, and has the listener and the clusters of our own Envoy, gates and all', () => {
    const filter = parse(renderIstio(config, layoutOf(config), NAMES)) as Manifest & {
      spec: { configPatches: { applyTo: string; patch: { value: Record<string, unknown> } }[] };
    };
    expect(errorsOf(filter)).toEqual([]);
    const values = (applyTo: string) =>
      filter.spec.configPatches.filter((one) => one.applyTo === applyTo).map(({ patch }) => patch.value);
    expect(values('LISTENER')).toEqual([{ ...listener, name: 'ai-firewall-gateway' }]);
    expect(values('CLUSTER')).toEqual(whole.static_resources.clusters);
    const pods = JSON.stringify(manifestsOf('istio'));
    expect(pods).toContain('"app":"ai-firewall-gateway"');
    for (const [flag, value] of Object.entries(RUNTIME))
      expect(pods).toContain(`${flag}: '${String(value)}'`);
  });

  it('for Envoy Gateway is valid, names the Gateway’s listener, and puts our connection manager there at last', () => {
    const policy = parse(renderEnvoyGateway(config, layoutOf(config), NAMES)) as Manifest & {
      spec: { jsonPatches: { name: string; operation: { path: string; value: unknown } }[] };
    };
    expect(errorsOf(policy)).toEqual([]);
    const last = policy.spec.jsonPatches.at(-1);
    const chains = listener['filter_chains'] as [{ filters: [{ typed_config: unknown }] }];
    expect(last).toMatchObject({
      name: 'ai-firewall-gateway/ai-firewall-gateway/https',
      operation: { op: 'replace', path: '/filter_chains/0/filters/0/typed_config' },
    });
    expect(last?.operation.value).toEqual(chains[0].filters[0].typed_config);
    const manifests = manifestsOf('envoy-gateway');
    const gateway = manifests.find(({ kind }) => kind === 'Gateway');
    expect(gateway?.metadata?.name).toBe(NAMES.name);
    expect(JSON.stringify(gateway?.spec)).toContain('"name":"https","protocol":"HTTPS"');
    expect(JSON.stringify(manifests)).toContain(`envoyproxy/envoy:distroless-v${ENVOY_VERSION}`);
  });
});

it('without the patch Envoy Gateway passes nothing, and calls the sidecar so that its absence admits nothing', () => {
  const manifests = manifestsOf('envoy-gateway');
  const routes = manifests.filter(({ kind }) => kind === 'HTTPRoute');
  expect(JSON.stringify(routes)).not.toContain('backendRefs');
  const policy = manifests.find(({ kind }) => kind === 'EnvoyExtensionPolicy');
  expect(policy?.spec?.['extProc']).toMatchObject([
    {
      failOpen: false,
      processingMode: {
        allowModeOverride: true,
        request: { body: 'Buffered' },
        response: { body: 'Buffered' },
      },
      metadata: { writableNamespaces: ['gw'] },
    },
  ]);
});

it('a name that a schema does not have is an error', () => {
  const [policy] = manifestsOf('envoy-gateway').filter(({ kind }) => kind === 'EnvoyExtensionPolicy');
  const wrong = { ...policy, spec: { ...policy?.spec, extProcs: [] } } as Manifest;
  expect(errorsOf(wrong)).toEqual([expect.stringContaining('extProcs')]);
});

it.each(['envoy/compose.gateway.yaml', ...FOLDERS.map((folder) => `deploy/${folder}/gateway.yaml`)])(
  '%s starts with the protections of gateway init',
  (file) => {
    expect(parse(read(file))).toMatchObject({
      server: { dlp: { enabled: true, scan_secrets: true, scan_pii: true, requests: 'mask' } },
      mcp: { inspector: { enabled: true } },
      policy: { enabled: true, presets: ['safety'] },
      audit: { enabled: true },
    });
  },
);
