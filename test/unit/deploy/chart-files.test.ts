import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHART, chartFiles } from '../../../build-chart.ts';
import { ENVOY_VERSION } from '../../../src/runtime/envoy-binary.ts';

const read = (path: string): string => readFileSync(join(CHART, path), 'utf8');

describe('the Helm chart', () => {
  it('has the version of the package and the files that `npm run docs` writes', async () => {
    const files = await chartFiles();
    const { version } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'),
    ) as {
      version: string;
    };
    expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
    for (const [path, text] of Object.entries(files)) {
      const written = existsSync(join(CHART, path)) ? read(path) : '';
      expect(written === text, `${path} differs: npm run docs`).toBe(true);
    }
  });

  it('starts with the protections of the kustomize base', () => {
    const { config, policies, envoy, drain } = parse(read('values.yaml')) as {
      config: object;
      policies: { presets: string[] };
      envoy: { image: { tag: string } };
      drain: { seconds: number };
    };
    const base = parse(
      readFileSync(join(import.meta.dirname, '../../../deploy/kubernetes/gateway.yaml'), 'utf8'),
    ) as { server: { drain_timeout: string }; policy: { presets: string[] } };
    expect(base).toMatchObject(config);
    expect(policies.presets).toEqual(base.policy.presets);
    expect(base.server.drain_timeout).toBe(`${String(drain.seconds)}s`);
    expect(envoy.image.tag).toBe(`v${ENVOY_VERSION}`);
  });
});
