import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { CHART } from '../../../build-chart.ts';
import { ENVOY_VERSION } from '../../../src/runtime/envoy-binary.ts';
import { runFile, type RunResult } from '../../../src/runtime/program.ts';
import { createTestCa, type TestCa } from '../../support/certs.ts';
import { findGoProgram, HELM, KUBECONFORM } from '../../support/go-program.ts';
import { findKubernetesSchemas, KUBERNETES_VERSIONS } from '../../support/kubernetes-schemas.ts';
import { runProgram } from '../../support/run-cli.ts';
import { layPod, one, podSpec, type Manifest } from './pod.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const VALUES = readdirSync(join(CHART, 'ci'));
const [NEWEST] = KUBERNETES_VERSIONS.toReversed();

let directory = '';
let helm = '';
let kubeconform = '';
let schemas = '';
let ca: TestCa;
let secrets: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gw-test-helm-'));
  ca = await createTestCa();
  const { cert, key } = await ca.issue('gateway');
  secrets = { 'ca.crt': ca.ca, 'tls.crt': cert, 'tls.key': key };
  [helm, kubeconform, schemas] = await Promise.all([
    findGoProgram(HELM),
    findGoProgram(KUBECONFORM),
    findKubernetesSchemas(),
  ]);
}, 900_000);
afterAll(() => {
  rmSync(directory, { recursive: true });
  ca.close();
});

function template(valuesFile: string, version: string = NEWEST ?? ''): Promise<RunResult> {
  return runFile(helm, ['template', 'rel', CHART, '--kube-version', version, '--values', valuesFile], {
    timeoutMs: 60_000,
  });
}

async function templateOf(values: object): Promise<RunResult> {
  const file = join(directory, 'values.yaml');
  writeFileSync(file, JSON.stringify(values));
  return template(file);
}

async function rendered(valuesFile: string): Promise<readonly Manifest[]> {
  const { stdout, stderr } = await template(valuesFile);
  expect(stderr).toBe('');
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** Checks manifests by the strict schemas of a Kubernetes version and of the Prometheus operator. */
async function conform(manifests: string, version: string): Promise<RunResult> {
  const file = join(directory, `manifests-${version}.yaml`);
  writeFileSync(file, manifests);
  const locations = [
    join(
      schemas,
      '{{.NormalizedKubernetesVersion}}-local{{.StrictSuffix}}/{{.ResourceKind}}{{.KindSuffix}}.json',
    ),
    join(ROOT, 'test/fixtures/crds/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json'),
  ].flatMap((location) => ['-schema-location', location]);
  return runFile(kubeconform, ['-strict', '-summary', '-kubernetes-version', version, ...locations, file], {
    timeoutMs: 60_000,
  });
}

describe.each(VALUES)('ci/%s', (name) => {
  const valuesFile = join(CHART, 'ci', name);

  it('passes helm lint', async () => {
    const { ok, stdout } = await runFile(
      helm,
      ['lint', '--strict', '--kube-version', NEWEST ?? '', '--values', valuesFile, CHART],
      { timeoutMs: 60_000 },
    );
    expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
    expect(ok).toBe(true);
  });

  it('creates a pod whose gateway.yaml and bootstrap are valid for the gateway and Envoy', async () => {
    const pod = layPod(await rendered(valuesFile), mkdtempSync(join(directory, 'pod-')), secrets);
    const gateway = (...args: readonly string[]): ReturnType<typeof runProgram> =>
      runProgram(inject('parts').gateway, ['--config', pod.config, ...args], { cwd: pod.home, env: pod.env });
    expect(await gateway('config', 'check')).toMatchObject({ code: 0, stderr: '' });
    expect(await gateway('policy', 'check')).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout } = await gateway('envoy', 'render', '--ca-file', ca.caFile);
    expect(code).toBe(0);
    const bootstrap = join(pod.home, 'envoy.yaml');
    writeFileSync(bootstrap, stdout);
    const checked = await runFile(inject('parts').envoyPath, ['--mode', 'validate', '-c', bootstrap], {
      timeoutMs: 60_000,
    });
    expect(checked).toMatchObject({ ok: true, stdout: expect.stringContaining(' OK') as string });
  });
});

describe('the chart', () => {
  it.each(KUBERNETES_VERSIONS)('creates resources that are valid for Kubernetes %s', async (version) => {
    const texts = await Promise.all(VALUES.map((name) => template(join(CHART, 'ci', name), version)));
    expect(texts.map(({ stderr }) => stderr).join('')).toBe('');
    const manifests = texts.map(({ stdout }) => stdout).join('');
    const count = String(manifests.match(/^kind: /gm)?.length ?? 0);
    expect((await conform(manifests, version)).stdout.trim()).toBe(
      `Summary: ${count} resources found in 1 file - Valid: ${count}, Invalid: 0, Errors: 0, Skipped: 0`,
    );
  });

  const [sentinel = '', clusterTls = ''] = ['sentinel', 'cluster-tls'].map((name) =>
    join(CHART, 'ci', `${name}-values.yaml`),
  );

  it('contains the project’s own alert rules and dashboard', async () => {
    const manifests = await rendered(sentinel);
    const rules = readFileSync(join(ROOT, 'deploy/prometheus/alerts.yaml'), 'utf8');
    expect(one(manifests, 'PrometheusRule').spec).toEqual(parse(rules));
    const dashboard = readFileSync(join(ROOT, 'deploy/grafana/gateway.json'), 'utf8');
    expect(one(manifests, 'ConfigMap', 'dashboard').data?.['gateway.json']).toBe(dashboard);
  });

  it('has monitors that select the admin listener of the pods', async () => {
    const [withService, withPods] = await Promise.all([rendered(sentinel), rendered(clusterTls)]);
    const service = one(withService, 'ServiceMonitor').spec as { selector: { matchLabels: object } };
    expect(one(withService, 'Service', '-admin').metadata.labels).toMatchObject(service.selector.matchLabels);
    expect(one(withService, 'Service', 'gateway').metadata.labels).not.toMatchObject(
      service.selector.matchLabels,
    );
    const pods = one(withPods, 'PodMonitor').spec as { selector: { matchLabels: object } };
    const { metadata } = podSpec.parse(one(withPods, 'Deployment').spec).template;
    expect(metadata.labels).toMatchObject(pods.selector.matchLabels);
  });

  it('opens the ports of the configured Redis servers', async () => {
    const values = { redis: { cluster: { addrs: ['redis-0:7000', 'redis-1:7001', 'redis-2:7001'] } } };
    const { stdout } = await templateOf(values);
    expect(stdout).toContain('- { port: 7000 }\n        - { port: 7001 }\n    #');
    expect((await templateOf({ redis: { addr: 'redis:6400' } })).stdout).not.toContain('port: 6379');
  });

  it('gives Envoy two thirds of its memory, and runs the tested Envoy version', async () => {
    const limits = { memory: '3Gi' };
    const { stdout } = await templateOf({ envoy: { resources: { limits } } });
    expect(stdout).toContain('max_heap_bytes: 2147483648');
    expect(stdout).toContain(`image: envoyproxy/envoy:v${ENVOY_VERSION}`);
  });

  it.each([
    [{ config: { server: { prot: 8443 } } }, "additional properties 'prot' not allowed"],
    [
      { config: { redis: { addr: 'redis:6379' } } },
      'config.redis.addr: the chart sets it; use the value redis',
    ],
    [{ config: { envoy: { managed: true } } }, 'config.envoy.managed: the chart sets it; remove it'],
    [
      { redis: { existingSecret: { addrKey: '' } } },
      'redis: set addr, existingSecret.addrKey, sentinel.addrs or',
    ],
    [{ redis: { sentinel: { addrs: ['s:1'] } } }, 'redis.sentinel.masterName: name the master'],
    [{ redis: { sentinel: { addrs: ['s:1'] }, cluster: { addrs: ['c:1'] } } }, 'not both'],
    [{ envoy: { resources: { limits: { memory: 'much' } } } }, 'write a quantity such as 2Gi, not "much"'],
    [{ policies: { presets: ['safty'] } }, 'value must be one of'],
    [{ policies: { files: { 'README.md': '' } } }, 'README.md'],
    [{ replica: 3 }, "additional properties 'replica' not allowed"],
  ])('refuses %j', async (values, message) => {
    const { ok, stderr } = await templateOf(values);
    expect(ok).toBe(false);
    expect(stderr).toContain(message);
  });

  it('is checked by schemas that reject an unknown name', async () => {
    const { stdout } = await template(sentinel);
    const misspelt = stdout
      .replace('terminationGracePeriodSeconds', 'terminationGraceSeconds')
      .replace('podSelector', 'podsSelector')
      .replace('endpoints:', 'endpoint:')
      .replace('alert: GatewayDown', 'alarm: GatewayDown');
    const result = await conform(misspelt, NEWEST ?? '');
    expect(result.ok).toBe(false);
    expect(result.stdout).toContain('Invalid: 4, Errors: 0');
    for (const name of ['terminationGraceSeconds', 'podsSelector', 'endpoint', 'alarm'])
      expect(result.stdout).toContain(`'${name}'`);
  });
});

it('a missing program is one sentence with the remedy', async () => {
  const nowhere = { PATH: '/nowhere', XDG_CACHE_HOME: directory };
  await expect(findGoProgram(HELM, nowhere)).rejects.toThrow(
    'helm is missing; put helm on PATH, or install Go or python3 with pip, with which it is built',
  );
  await expect(findKubernetesSchemas(nowhere)).rejects.toThrow(
    "Kubernetes' schemas are missing; install python3 with pip, which fetches kubernetes-validate==1.37.0",
  );
});
