import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { explainInput, testPolicies, type PolicyChoice } from '../../../src/offline-policy.ts';

/** The docs' examples of policies, as a reader would copy them into files. */
const FILES = {
  'rules.rego': ['policies.md', /^package gateway\.policy\n/],
  'rules_test.rego': ['policy-tests.md', /^package gateway\.policy_test\n/],
  'masks.yaml': ['policy-masking.md', /action: mask/],
  'guard_test.yaml': ['policy-tests.md', /expect: deny/],
  'call.json': ['policy-tests.md', /"prompt_text"/],
  'guard.yaml': ['cards.md', /initial_state/],
} as const;

let folder: string;
let choice: PolicyChoice;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gw-test-docs-'));
  for (const [name, [page, isIt]] of Object.entries(FILES)) {
    const text = await readFile(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
    const examples = [...text.matchAll(/```\w+\n(.*?)```/gs)].flatMap(([, example = '']) =>
      isIt.test(example) ? [example] : [],
    );
    expect(examples, `${name} in ${page}`).toHaveLength(1);
    await writeFile(join(folder, name), examples[0] ?? '');
  }
  choice = {
    sources: { file: undefined, folder, presets: ['safety', 'zero_trust'] },
    defaultAction: undefined,
    trust: { system: true, developer: true },
  };
});
afterAll(() => rm(folder, { recursive: true }));

test("the docs' policies load together, and their tests pass", async () => {
  const results = await testPolicies(choice, [folder], true);
  expect(results.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass']);
});

test("the docs' call can be explained", async () => {
  const explanation = await explained({});
  expect(explanation.verdict).toBe('deny');
});

test("the docs' rule about a tag applies to a key without one", async () => {
  const request = { method: 'llm_call', provider: 'openai', model: 'gpt-5' };
  const said = (tags: object) => explained({ request, prompt_text: 'hello', agent: { tags } });
  expect((await said({})).verdict).toBe('deny');
  expect((await said({ team: 'sales' })).verdict).toBe('deny');
  expect((await said({ team: 'research' })).verdict).not.toBe('deny');
});

async function explained(instead: object) {
  const call = JSON.parse(await readFile(join(folder, 'call.json'), 'utf8')) as object;
  async function* bytes() {
    yield Buffer.from(JSON.stringify({ ...call, ...instead }));
  }
  return explainInput(choice, bytes(), 'call.json');
}
