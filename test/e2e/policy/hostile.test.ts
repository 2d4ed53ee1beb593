import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestGateway } from '../../support/gateway.ts';
import { residentBytes } from '../../support/memory.ts';
import { callTool, closeConnections, MODEL_CLIENTS, type Agent } from '../../support/policy-clients.ts';
import { forwarded, refusedModel } from '../../support/policy-probe.ts';
import { startPolicyRig, type PolicyRig } from '../../support/policy-rig.ts';

/** Expensive Rego on the wire: the call is denied in time, nothing passes, and everything else continues. */
const NOT_EVALUATED = 'the policies could not be evaluated: try again, or ask the operator';
/** An evaluation and its forced end take half a second; the machine may be busy with something else. */
const DENIED_WITHIN_MS = 5_000;
const MAX_MEMORY_BYTES = 1_500_000_000;
const many = (text: string, times: number): string => text.repeat(times);

interface Hostile {
  /** The model for which the rule is judged. */
  readonly name: string;
  readonly body: string;
  readonly prompt?: string;
}

const HOSTILE: readonly Hostile[] = [
  {
    name: 'cross-product',
    body: 'r := numbers.range(1, 400); r[a] + r[b] + r[c] + r[d] < 9999; r[e] < 0',
  },
  { name: 'comprehension', body: 'r := numbers.range(1, 3000); count([[x, y] | x := r[_]; y := r[_]]) > 0' },
  { name: 'doubled-string', body: 'count(s30("xxxxxxxxxxxxxxxx")) > 0' },
  { name: 'shifted-number', body: 'bits.lsh(1, 4000000000) > 0' },
  {
    name: 'huge-pattern',
    body: 'not regex.match(input.action.normalized_prompt, concat("", ["ab" | numbers.range(1, 100000)[_]]))',
    prompt: many('(a|b)*c', 30_000),
  },
  { name: 'broken-pattern', body: 'regex.match(input.action.normalized_prompt, "x")', prompt: '(' },
  {
    name: 'deep-input',
    body: 'not json.unmarshal(input.action.normalized_prompt)',
    prompt: many('[', 500_000),
  },
  {
    name: 'endless-reasons',
    body: 'some i in numbers.range(1, 2000000); sprintf("%d", [i]) != ""; reason := sprintf("%d", [i])',
  },
];
/** Functions that double a string, one calling the other. */
const DOUBLINGS = Array.from(
  { length: 30 },
  (_, n) => `s${String(n + 1)}(x) := concat("", [s${String(n)}(x), s${String(n)}(x)])`,
);
const RULES = HOSTILE.map(({ name, body }) => {
  const head = body.includes('reason :=') ? 'deny contains reason' : 'deny contains "it"';
  return `${head} if { what == "${name}"; ${body} }`;
});
const POLICY = [
  'package gateway.policy',
  'deny contains "the word was said" if contains(input.action.normalized_prompt, "xylophone")',
  'what := input.request.model if input.request.method == "llm_call"',
  'what := input.request.arguments.text if input.request.method == "mcp_tool_call"',
  's0(x) := x',
  ...DOUBLINGS,
  ...RULES,
].join('\n');

let rig: PolicyRig;
let gateway: TestGateway;

beforeAll(async () => {
  rig = await startPolicyRig({ files: { 'hostile.rego': POLICY } });
  await mountVersion(1);
  await symlink('..data/half.yaml', join(rig.folder, 'half.yaml'));
  await symlink('..data/half.rego', join(rig.folder, 'half.rego'));
  gateway = await rig.start();
});
afterAll(() => rig.close());
afterEach(closeConnections);

const [OPENAI] = MODEL_CLIENTS;
if (OPENAI === undefined) throw new Error('there is a client');

async function newAgent(): Promise<Agent> {
  return { gateway, key: await gateway.createKey() };
}

async function ask(prompt: string, model = 'gpt-4o', agent?: Agent): Promise<unknown> {
  return OPENAI?.ask(agent ?? (await newAgent()), prompt, model);
}

const passes = { text: 'done' };

/** Waits until a killed engine is back, and judges. */
async function expectJudged(): Promise<void> {
  await vi.waitFor(async () => expect(await ask('hello')).toEqual(passes));
  await vi.waitFor(async () => expect(await ask('a xylophone')).toEqual(refusedModel('the word was said')));
}

async function models({ key }: Agent): Promise<number> {
  const headers = {
    authorization: `Bearer ${key.rawKey}`,
    'x-gateway-provider-key': 'sk-provider-0123456789',
  };
  return (await fetch(`${gateway.baseUrl}/openai/v1/models`, { headers })).status;
}

describe('expensive Rego', () => {
  it.each(HOSTILE)(
    'is ended in time, and nothing passes meanwhile: $name',
    async ({ name, prompt = 'hi' }) => {
      rig.provider.behave({ text: 'done' });
      await expectJudged();
      const agents = await Promise.all([newAgent(), newAgent(), newAgent(), newAgent()]);
      const [agent, ...others] = agents;
      const before = forwarded(rig);
      const started = performance.now();
      const hostile = ask(prompt, name, agent).then((said) => ({ said, ms: performance.now() - started }));
      const beside = others.map((other) => ask('a xylophone', 'gpt-4o', other));
      const { said, ms } = await hostile;
      expect(ms).toBeLessThan(DENIED_WITHIN_MS);
      expect(said).toMatchObject({ status: 403, policyBlock: 'true', body: { type: 'policy_denied' } });
      const refusals: unknown[] = [refusedModel('the word was said'), refusedModel(NOT_EVALUATED)];
      for (const one of await Promise.all(beside)) expect(refusals).toContainEqual(one);
      expect(forwarded(rig)).toBe(before);
      // Requests that no policy judges did not wait.
      expect(await models(agent ?? (await newAgent()))).toBe(200);
      await expectJudged();
    },
  );

  it('is ended on a tool call too', async () => {
    const agent = await newAgent();
    const before = forwarded(rig);
    expect(await callTool(agent, 'echo', { text: 'cross-product' })).toMatchObject({
      status: 200,
      code: -32001,
      data: { type: 'policy_denied', reason: NOT_EVALUATED, tool_name: 'echo', rule: 'engine' },
    });
    expect(forwarded(rig)).toBe(before);
    expect(await callTool(agent, 'echo', { text: 'hello' })).toEqual({ text: 'hello' });
  });

  it('leaves the process and its memory unchanged', async () => {
    const [worker, ...more] = gateway.workers();
    expect(more).toEqual([]);
    expect(gateway.logs()).not.toMatch(/worker .*(ended|exited|restart)/);
    expect(residentBytes(worker?.pid ?? 0)).toBeGreaterThan(0);
    expect(residentBytes(worker?.pid ?? 0)).toBeLessThan(MAX_MEMORY_BYTES);
    await expect.poll(() => gateway.metrics()).toMatch(/^gateway_policy_troubles_total [1-9]/mu);
  });
});

describe('Rego that does not load', () => {
  it.each([
    { name: 'deep literals', text: `a := ${many('[', 100_000)}`, says: /nested deeper than 100/ },
    { name: 'a rule of itself', text: 'a if b\nb if a\ndeny contains "x" if a', says: /is recursive/ },
    {
      name: 'a broken pattern',
      text: 'deny contains "x" if regex.match(`(`, input.action.normalized_prompt)',
      says: /missing closing \)/,
    },
    { name: 'a number without an end', text: 'a := 1e1000000', says: /number too big/ },
  ])('is named and changes nothing: $name', async ({ text, says }) => {
    const before = gateway.logs().length;
    await rig.put('broken.rego', `package gateway.policy\n${text}\n`);
    await vi.waitFor(() => expect(gateway.logs().slice(before)).toMatch(says), { timeout: 20_000 });
    await expect.poll(() => gateway.logs().slice(before)).toContain('broken.rego:');
    await expectJudged();
    await rm(join(rig.folder, 'broken.rego'));
  });
});

/** Mounts files as Kubernetes does a ConfigMap: links into a folder that is itself a link, which is swapped. */
async function mountVersion(version: number): Promise<void> {
  const [ofCard, ofRego] = version % 2 === 1 ? ['apples', 'pears'] : ['pears', 'apples'];
  const folder = `..v${String(version)}`;
  const says = (word: string) => `version ${String(version)} has no ${word}`;
  await mkdir(join(rig.folder, folder));
  const condition = `{field: prompt_text, op: contains, value: ${ofCard}}`;
  await writeFile(
    join(rig.folder, folder, 'half.yaml'),
    `metadata: {name: half}\nrules: [{name: r, action: deny, conditions: [${condition}], reason: ${says(ofCard)}}]\n`,
  );
  await writeFile(
    join(rig.folder, folder, 'half.rego'),
    `package gateway.policy\ndeny contains "${says(ofRego)}" if contains(input.action.normalized_prompt, "${ofRego}")\n`,
  );
  await symlink(folder, join(rig.folder, '..new'));
  await rename(join(rig.folder, '..new'), join(rig.folder, '..data'));
}

describe('a card and a Rego file that change together', () => {
  it('judge together, under load: never the card of one version with the Rego of the other', async () => {
    rig.provider.behave({ text: 'done' });
    // Half a set would deny one of the words twice, and pass the other.
    let isOver = false;
    const through: unknown[] = [];
    let asked = 0;
    const load = ['apples', 'pears', 'apples', 'pears'].map(async (word) => {
      while (!isOver) {
        const said = await ask(word);
        asked += 1;
        if (typeof said !== 'object' || said === null || !('status' in said) || said.status !== 403) {
          through.push(said);
        }
      }
    });
    for (const version of [3, 5, 7]) {
      // A new version may appear while the previous one is being read.
      await mountVersion(version - 1);
      await delay(350);
      await mountVersion(version);
      for (const word of ['apples', 'pears']) {
        const refused = refusedModel(`version ${String(version)} has no ${word}`);
        await vi.waitFor(async () => expect(await ask(word)).toEqual(refused), { timeout: 20_000 });
      }
    }
    isOver = true;
    await Promise.all(load);
    expect(through).toEqual([]);
    expect(asked).toBeGreaterThan(20);
    expect(await ask('plums')).toEqual(passes);
  });
});
