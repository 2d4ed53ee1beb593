import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, NO_FILE } from '../../../../src/config/load.ts';

describe('the paths of policies', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gw-paths-'));
    mkdirSync(join(folder, 'conf'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function paths(yaml: string): readonly string[] {
    const path = join(folder, 'conf', 'gateway.yaml');
    writeFileSync(path, yaml);
    const { policy } = loadConfig({ path, env: {} }).config;
    return [policy.policy_file, policy.policy_dir];
  }
  const beside = (name: string): string => join(folder, 'conf', name);

  it('are relative to the configuration file', () => {
    expect(paths('policy: {policy_file: ./card.yaml, policy_dir: ../rego}')).toEqual([
      beside('card.yaml'),
      join(folder, 'rego'),
    ]);
  });

  it('lie beside the configuration file by default', () => {
    expect(paths('policy: {enabled: true}')).toEqual([beside('policies.yaml'), beside('policies')]);
  });

  it('are unchanged if they are absolute', () => {
    expect(paths('policy: {policy_file: /a/card.yaml, policy_dir: /a/rego}')).toEqual([
      '/a/card.yaml',
      '/a/rego',
    ]);
  });

  it('are relative to the working directory without a file', () => {
    const { policy } = loadConfig({ path: NO_FILE, env: {} }).config;
    expect([policy.policy_file, policy.policy_dir]).toEqual(['./policies.yaml', './policies']);
  });
});
