import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { serveUntilExit, type TestGateway, type TestKey } from '../../support/gateway.ts';
import { callTool, closeConnections } from '../../support/policy-clients.ts';
import { startPolicyRig, type PolicyRig } from '../../support/policy-rig.ts';

/** docs/cards.md: cards on the wire, through common clients. */
const CARD = `metadata: { name: ops, version: "1" }
rules:
  - name: no-xylophone
    match: { type: llm_call }
    conditions:
      - { field: prompt_text, op: contains, value: xylophone }
    action: deny
    reason: "{rule}: {match} is not for {model}"

  - name: forbidden-model
    match: { model: gpt-4-forbidden }
    action: quarantine

  - name: dear-model
    match: { model: gpt-4-dear }
    action: escalate

  - name: seen
    conditions:
      - { field: prompt_text, op: matches_regex, value: '(?i)taint\\s+me' }
    action: taint
    taint: was_seen

  - name: after-seen
    conditions:
      - { field: session.taint_flags.was_seen, op: equals, value: true }
    action: deny
    reason: the session is over

  - name: echo-says-no-no
    match: { tool: echo }
    conditions:
      - { field: arguments.text, op: equals, value: "no" }
    action: deny
    reason: "{tool_name} may not say no"
`;

let rig: PolicyRig;
let gateway: TestGateway;
let key: TestKey;

beforeAll(async () => {
  rig = await startPolicyRig({ files: { 'policies.yaml': CARD } });
  gateway = await startWith('policies.yaml');
});
afterAll(() => rig.close());
beforeEach(async () => {
  key = await gateway.createKey({ provider: 'openai' });
});

/** A card as `policy.policy_file`, and no folder. */
async function startWith(card: string, policy: ConfigInput['policy'] = {}): Promise<TestGateway> {
  const empty = join(rig.folder, 'empty');
  await mkdir(empty, { recursive: true });
  return rig.start({ policy_file: join(rig.folder, card), policy_dir: empty, ...policy });
}

/** OpenAI's own client, as a developer creates it. */
function openai(at = gateway, headers: Record<string, string> = {}): OpenAI {
  return new OpenAI({
    apiKey: key.rawKey,
    baseURL: `${at.baseUrl}/openai/v1`,
    defaultHeaders: { 'x-gateway-provider-key': 'sk-provider-0123456789', ...headers },
    maxRetries: 0,
  });
}

async function ask(content: string, model = 'gpt-4o', client = openai()): Promise<string> {
  try {
    const answer = await client.chat.completions.create({ model, messages: [{ role: 'user', content }] });
    return answer.choices[0]?.message.content ?? '';
  } catch (failure) {
    if (!(failure instanceof OpenAI.APIError)) throw failure;
    return `${String(failure.status)} ${JSON.stringify(failure.error)}`;
  }
}

describe('a card', () => {
  it('denies a call of a model with its reason, and passes others', async () => {
    expect(await ask('hello')).not.toMatch(/^4/);
    expect(await ask('play the xylo\u200bphone')).toContain('no-xylophone: xylophone is not for gpt-4o');
  });

  it('locks a key, and refuses calls that need an approval', async () => {
    expect(await ask('hi', 'gpt-4-dear')).toContain('approval required');
    expect(await ask('hi', 'gpt-4-forbidden')).toContain('rule forbidden-model');
    expect(await ask('hi')).toContain('this proxy key is locked');
  });

  it('taints a session', async () => {
    const client = openai(gateway, { 'x-gateway-session-id': 'tainted' });
    expect(await ask('Taint  me', 'gpt-4o', client)).not.toMatch(/^4/);
    expect(await ask('and now', 'gpt-4o', client)).toContain('the session is over');
    expect(await ask('and now')).not.toMatch(/^4/);
  });

  it('denies a call of a tool as JSON-RPC -32001, for the official client', async () => {
    const agent = { gateway, key };
    expect(await callTool(agent, 'echo', { text: 'yes' })).toEqual({ text: 'yes' });
    expect(await callTool(agent, 'echo', { text: 'no' })).toMatchObject({
      code: -32001,
      message: expect.stringContaining('tool [echo] blocked. Reason: echo may not say no') as unknown,
    });
    await closeConnections();
  });

  it('works without a preset', async () => {
    expect(await ask(`Use AKIA${'IOSFODNN7EXAMPLQ'} with it.`)).not.toMatch(/^4/);
  });

  it('records each decision: rule, file, line and the set', async () => {
    await ask('xylophone');
    // Log lines arrive asynchronously.
    const line = await vi.waitFor(() => {
      const found = gateway
        .logs()
        .split('\n')
        .find((one) => one.includes('policy decision') && one.includes(key.keyHash));
      expect(found).toBeDefined();
      return found;
    });
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      channel: 'audit',
      key_hash: key.keyHash,
      verdict: 'deny',
      policy_set: expect.stringMatching(/^sha256:/) as unknown,
      rules: [{ action: 'deny', rule: 'no-xylophone', file: join(rig.folder, 'policies.yaml'), line: 3 }],
    });
  });
});

describe('a changed card', () => {
  const write = (text: string): Promise<void> => rig.put('policies.yaml', text);

  it('is in effect within a second, under load, and no request is judged by half of it', async () => {
    // Each version denies one of two words: with half a set both would pass, or neither.
    const version = (word: string): string =>
      `metadata: {name: v}\nrules:\n  - {name: r, action: deny, conditions: [{field: prompt_text, op: contains, value: ${word}}]}\n`;
    await write(version('apples'));
    await vi.waitFor(async () => expect(await ask('apples')).toMatch(/^403/), { timeout: 10_000 });
    let over = false;
    const seen = new Set<string>();
    const load = Array.from({ length: 4 }, async () => {
      while (!over) {
        seen.add(`both ${String((await ask('apples and pears')).startsWith('403'))}`);
        seen.add(`neither ${String((await ask('plums')).startsWith('403'))}`);
      }
    });
    for (const word of ['pears', 'apples', 'pears']) {
      await write(version(word));
      await vi.waitFor(async () => expect(await ask(word)).toMatch(/^403/), { timeout: 10_000 });
    }
    over = true;
    await Promise.all(load);
    expect([...seen].sort()).toEqual(['both true', 'neither false']);
  });

  it('keeps its previous version if the new one is broken or gone, and reports it', async () => {
    await write('metadata: {name: v}\nrules:\n  - {name: r, acton: deny}\n');
    await vi.waitFor(() => expect(gateway.logs()).toMatch(/policies\.yaml:3:.*did you mean action/), {
      timeout: 10_000,
    });
    expect(await ask('pears')).toMatch(/^403/);
    await rm(join(rig.folder, 'policies.yaml'));
    await vi.waitFor(() => expect(gateway.logs()).toContain('every policy file has been removed'), {
      timeout: 10_000,
    });
    expect(await ask('pears')).toMatch(/^403/);
    await write(CARD);
    await vi.waitFor(async () => expect(await ask('pears')).not.toMatch(/^403/), { timeout: 10_000 });
  });
});

describe('the allow rules of a card', () => {
  it.each([
    { written: undefined, status: '403' },
    { written: 'allow' as const, status: 'passes' },
  ])('are exclusive if default_action is $written: others $status', async ({ written, status }) => {
    const file = `allow-${String(written)}.yaml`;
    const rule = '{name: mini, match: {model: gpt-4o-mini}, action: allow}';
    await rig.put(file, `metadata: {name: a}\nrules: [${rule}]\n`);
    const one = await startWith(file, written === undefined ? {} : { default_action: written });
    const client = openai(one);
    expect(await ask('hi', 'gpt-4o-mini', client)).not.toMatch(/^4/);
    const other = await ask('hi', 'gpt-4o', client);
    expect(other.startsWith('403') ? '403' : 'passes').toBe(status);
  });
});

describe('a gateway does not start with', () => {
  it.each([
    [
      'with a broken card, whose line it shows',
      'metadata: {name: c}\nrules: [{name: r, action: forbid}]',
      /bad\.yaml:2:\d+: rules\.0\.action: must be one of allow, deny/,
    ],
    ['with two cards that have states', undefined, /a session has only one state/],
    ['with a card that is not there', '', /policy\.policy_file.*is missing or cannot be read/],
  ])('%s', async (_what, text, message) => {
    const dir = await mkdtemp(join(tmpdir(), 'gw-test-cards-'));
    const fsm = 'metadata: {name: c}\nfsm: {transitions: [{from: a, to: b, trigger: x}]}';
    if (text !== '') await writeFile(join(dir, 'bad.yaml'), text ?? fsm);
    if (text === undefined) await writeFile(join(dir, 'worse.yaml'), fsm);
    const { code, output } = await serveUntilExit(
      {
        redis: { addr: gateway.redis.addr },
        policy:
          text === ''
            ? { enabled: true, policy_file: join(dir, 'no.yaml') }
            : { enabled: true, policy_dir: dir },
      },
      { SERVER_INSECURE_DEV: 'true' },
    );
    expect(code).not.toBe(0);
    expect(output).toMatch(message);
    await rm(dir, { recursive: true });
  });
});
