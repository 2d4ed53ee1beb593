import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describePolicies } from '../../../src/policy/describe-set.ts';

it.each([
  {
    rule: 'allow if input.x',
    written: undefined,
    is: 'deny',
    because: 'there is an allow rule, so calls that no rule allows are denied',
  },
  {
    rule: 'deny contains "x" if input.x',
    written: undefined,
    is: 'allow',
    because: 'there is no allow rule, so calls that no rule denies pass',
  },
  {
    rule: 'allow if input.x',
    written: 'allow' as const,
    is: 'allow',
    because: 'policy.default_action is set',
  },
])(
  'calls that no policy judges: $is, because $because',
  { timeout: 60_000 },
  async ({ rule, written, is, because }) => {
    const folder = await mkdtemp(join(tmpdir(), 'gw-test-policies-'));
    await writeFile(join(folder, 'p.rego'), `package gateway.policy\n${rule}\n`);
    const found = await describePolicies({ file: undefined, folder, presets: ['pci'] }, written);
    expect(found).toMatchObject({
      default_action: { action: is, why: because },
      files: [{ file: 'preset pci' }, { file: join(folder, 'p.rego'), kind: 'rego' }],
    });
    expect(found.engineBytes).toBeGreaterThan(1_000_000);
    await rm(folder, { recursive: true });
  },
);

it('names the default preset, and no engine', async () => {
  const found = await describePolicies({ file: undefined, folder: undefined, presets: [] }, undefined);
  expect(found).toMatchObject({
    files: [{ file: 'preset safety', kind: 'preset' }],
    engineBytes: undefined,
    warnings: [],
  });
  expect(found.files[0]?.rules).toContain('mask-ssn');
});
