import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describePolicies } from '../../../src/policy/describe-policies.ts';

const LIMITS = { evaluationMs: 1_000, graceMs: 1_000, startMs: 60_000, maxWaiting: 1, waitMs: 1_000 };

it.each([
  { rule: 'allow if input.x', written: undefined, is: 'deny', because: 'a policy can allow calls' },
  {
    rule: 'deny contains "x" if input.x',
    written: undefined,
    is: 'allow',
    because: 'no policy of yours can allow calls',
  },
  {
    rule: 'allow if input.x',
    written: 'allow' as const,
    is: 'allow',
    because: 'policy.default_action says so',
  },
])(
  'what no policy speaks of: $is, because $because',
  { timeout: 60_000 },
  async ({ rule, written, is, because }) => {
    const folder = await mkdtemp(join(tmpdir(), 'gw-test-policies-'));
    await writeFile(join(folder, 'p.rego'), `package gateway.policy\n${rule}\n`);
    const found = await describePolicies({ file: undefined, folder, presets: ['pci'] }, written, LIMITS);
    expect(found).toMatchObject({
      defaultAction: is,
      because,
      cards: ['preset pci'],
      regoFiles: [join(folder, 'p.rego')],
    });
    expect(found.engineBytes).toBeGreaterThan(1_000_000);
    await rm(folder, { recursive: true });
  },
);

it('names the preset that is there where nothing else is, and no engine', async () => {
  const found = await describePolicies(
    { file: undefined, folder: undefined, presets: [] },
    undefined,
    LIMITS,
  );
  expect(found).toMatchObject({ cards: ['preset safety'], regoFiles: [], engineBytes: undefined });
});
