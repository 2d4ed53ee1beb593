import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { serveUntilExit, type TestGateway, type TestKey } from '../../support/gateway.ts';
import { send, type Reply } from '../../support/http.ts';
import { connectClient } from '../../support/mcp-rig.ts';
import { startPolicyRig, type PolicyRig } from '../../support/policy-rig.ts';
import { cli, expectRefusal } from '../budgets/rig.ts';
import { askWith } from '../../support/ask-provider.ts';

/** docs/policies.md: Rego files on the wire. */
const CHAT = '/openai/v1/chat/completions';
const V0 = `package gateway.policy

deny[reason] {
  input.request.model == "gpt-4o-mini"
  input.agent.tags.team == "ops"
  reason := sprintf("%v is not for team %v", [input.request.model, input.agent.tags.team])
}
`;
const V1 = `package gateway.policy

deny contains "the secret word was said" if contains(input.action.normalized_prompt, "xylophone")

deny contains "echo may not say no" if {
  input.request.tool_name == "echo"
  input.request.arguments.text == "no"
}

quarantine contains "a forbidden model" if input.request.model == "gpt-4-forbidden"
escalate contains "a dear model" if input.request.model == "gpt-4-dear"
taint contains "seen_a_taint" if contains(input.action.normalized_prompt, "taint me")
deny contains "tainted sessions end" if input.session.taint_flags.seen_a_taint

deny contains reason if {
  contains(input.action.normalized_prompt, "ghp_")
  reason := sprintf("this was said: %v", [input.action.normalized_prompt])
}

torn := true if input.request.model == "claude-torn"
torn := false if input.request.model == "claude-torn"
deny contains "torn" if torn

deny contains "endless" if {
  contains(input.action.normalized_prompt, "endless")
  r := numbers.range(1, 400)
  r[a] + r[b] + r[c] + r[d] < 0
}
`;

let rig: PolicyRig;
let gateway: TestGateway;
let key: TestKey;

beforeAll(async () => {
  rig = await startPolicyRig({ files: { 'a.rego': V0, 'b.rego': V1 } });
  gateway = await rig.start();
});
afterAll(() => rig.close());
beforeEach(async () => {
  key = await gateway.createKey({ tags: { team: 'ops' } });
});

function ask(model: string, prompt = 'hi', more: Record<string, string> = {}): Promise<Reply> {
  return send(gateway.baseUrl, { path: CHAT, ...request(model, prompt, more) });
}

function request(model: string, prompt: string, more: Record<string, string> = {}) {
  return {
    body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }] }),
    headers: {
      authorization: `Bearer ${key.rawKey}`,
      'x-gateway-provider-key': 'sk-provider-0123456789',
      'content-type': 'application/json',
      ...more,
    },
  };
}

async function riskScore(): Promise<number> {
  const { stdout } = await cli(gateway, 'risk', 'show', key.keyHash, '--output', 'json');
  return (JSON.parse(stdout) as { risk_score: number }).risk_score;
}

describe('a model call', () => {
  it('passes if no policy denies it', async () => {
    expect((await ask('gpt-4o')).status).toBe(200);
    expect(await riskScore()).toBe(0);
  });

  it('is 403 policy_denied with the reason of a rule in the old syntax, and scores once', async () => {
    const before = rig.provider.requests.length;
    const reply = await ask('gpt-4o-mini');
    expectRefusal(reply, 403, 'policy_denied');
    expect(JSON.parse(reply.body)).toMatchObject({ error: 'gpt-4o-mini is not for team ops' });
    expect(reply.headers).toMatchObject({
      'x-gateway-policy-block': 'true',
      'x-gateway-block-reason': 'gpt-4o-mini is not for team ops',
    });
    await ask('gpt-4o-mini');
    expect(await riskScore()).toBe(10);
    expect(rig.provider.requests.length).toBe(before);
  });

  it('is judged by its prompt without disguises', async () => {
    const reply = await ask('gpt-4o', 'play the xylo\u200Bphone');
    expect(JSON.parse(reply.body)).toMatchObject({ error: 'the secret word was said' });
  });

  it('locks its key if a policy says quarantine', async () => {
    expectRefusal(await ask('gpt-4-forbidden'), 403, 'policy_denied');
    expect(await riskScore()).toBe(25);
    expectRefusal(await ask('gpt-4o'), 403, 'quarantined');
  });

  it('is denied if it needs an approval and approvals are disabled', async () => {
    const reply = await ask('gpt-4-dear');
    expectRefusal(reply, 403, 'policy_denied');
    expect(await riskScore()).toBe(15);
  });

  it('taints its session, which the next call sees', async () => {
    const session = { 'x-gateway-session-id': 'tainted' };
    expect((await ask('gpt-4o', 'taint me', session)).status).toBe(200);
    expect(await riskScore()).toBe(5);
    const next = await ask('gpt-4o', 'and now', session);
    expect(JSON.parse(next.body)).toMatchObject({ error: 'tainted sessions end' });
    expect((await ask('gpt-4o', 'and now')).status).toBe(200);
  });

  it('is denied by an endless policy, and simultaneous calls are judged', async () => {
    const endless = ask('gpt-4o', 'endless');
    const beside = await Promise.all(Array.from({ length: 5 }, () => ask('gpt-4o')));
    expect(beside.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const reply = await endless;
    expectRefusal(reply, 403, 'policy_denied');
    expect(JSON.parse(reply.body)).toMatchObject({
      error: 'the policies could not be evaluated: try again, or ask the operator',
    });
    await expect.poll(() => gateway.metrics()).toMatch(/^gateway_policy_troubles_total [1-9]/mu);
  });
});

describe('a model call that names fallbacks', () => {
  async function askClaude(...fallbacks: string[]): Promise<Reply> {
    const { rawKey } = await gateway.createKey({ allowedProviders: ['anthropic'] });
    const body = {
      model: 'claude-sonnet-4-5',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hi' }],
      fallbacks: fallbacks.map((model) => ({ model })),
    };
    return askWith(gateway, rawKey, '/anthropic/v1/messages', body);
  }

  it('passes if the policies decide alike about each model', async () => {
    expect((await askClaude('claude-haiku-4-5', 'claude-opus-4-5')).status).toBe(200);
  });

  it.each([
    ['decide otherwise about one of them', 'gpt-4-forbidden', 'decide differently for them'],
    ['cannot judge one of them', 'claude-torn', 'could not be evaluated'],
  ])('is denied if the policies %s', async (_what, fallback, said) => {
    const before = rig.provider.requests.length;
    const reply = await askClaude('claude-haiku-4-5', fallback);
    expectRefusal(reply, 403, 'policy_denied');
    expect(reply.body).toContain(said);
    expect(rig.provider.requests.length).toBe(before);
  });
});

it('is only recorded in shadow mode', async () => {
  const shadow = await rig.start({}, { server: { shadow_mode: true } });
  for (const model of ['gpt-4o-mini', 'gpt-4-forbidden']) {
    const reply = await send(shadow.baseUrl, { path: CHAT, ...request(model, 'taint me') });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ 'x-gateway-shadow': 'policy_denied' });
  }
  expect(await riskScore()).toBe(0);
  await shadow.stop();
});

it('shows no secret that a rule put into its reason', async () => {
  const token = 'ghp_Zq8Kd1Lw7Xc3Vb9Nm2Rt6Yp4Hs5Gf0JaAbCd';
  const reply = await ask('gpt-4o', `say ${token}`);
  expect(reply.status).toBe(403);
  expect(JSON.parse(reply.body)).toMatchObject({ error: expect.stringContaining('***') as unknown });
  expect(reply.body + JSON.stringify(reply.headers) + gateway.logs()).not.toContain(token);

  const cutOff = await ask('gpt-4o', `${'well '.repeat(97)}${token}`);
  expect(cutOff.status).toBe(403);
  expect(cutOff.body + JSON.stringify(cutOff.headers) + gateway.logs()).not.toContain(token.slice(0, 10));

  const long = await ask('gpt-4o', `${'well '.repeat(2_000)}${token}`);
  expect(JSON.parse(long.body)).toMatchObject({
    error: 'a policy rule whose reason is too long to show',
  });
});

it('denies a tool call as JSON-RPC -32001, for the official client', async () => {
  const { client } = await connectClient({
    url: new URL(`${gateway.baseUrl}/mcp/tools`),
    headers: { authorization: `Bearer ${key.rawKey}` },
  });
  const call = (text: string): Promise<unknown> => client.callTool({ name: 'echo', arguments: { text } });
  expect(await call('yes')).toMatchObject({ content: [{ type: 'text' }] });
  await expect(call('no')).rejects.toMatchObject({
    code: -32001,
    message: expect.stringContaining('tool [echo] blocked. Reason: echo may not say no') as unknown,
    data: { type: 'policy_denied', reason: 'echo may not say no', tool_name: 'echo' },
  });
  await client.close();
});

describe('changed files', () => {
  const denies = async (model: string): Promise<boolean> => (await ask(model)).status === 403;

  it('are in effect within a second, written in place or by rename, and no longer after deletion', async () => {
    expect(await denies('gpt-4.1')).toBe(false);
    await writeFile(
      join(rig.folder, 'c.rego'),
      'package gateway.policy\ndeny contains "c" if input.request.model == "gpt-4.1"\n',
    );
    await vi.waitFor(async () => expect(await denies('gpt-4.1')).toBe(true), { timeout: 10_000 });
    await rig.put(
      'c.rego',
      'package gateway.policy\ndeny contains "c" if input.request.model == "gpt-4.1-mini"\n',
    );
    await vi.waitFor(async () => expect(await denies('gpt-4.1-mini')).toBe(true), { timeout: 10_000 });
    expect(await denies('gpt-4.1')).toBe(false);
    await rm(join(rig.folder, 'c.rego'));
    await vi.waitFor(async () => expect(await denies('gpt-4.1-mini')).toBe(false), { timeout: 10_000 });
  });

  it('change nothing while one of them is broken, and the gateway reports it', async () => {
    await rig.put('broken.rego', 'package gateway.policy\n\ndeny contains "x" if {\n');
    await vi.waitFor(() => expect(gateway.logs()).toMatch(/broken\.rego:\d/u), { timeout: 10_000 });
    expect(await denies('gpt-4o-mini')).toBe(true);
    expect((await ask('gpt-4o')).status).toBe(200);
    await expect
      .poll(() => gateway.metrics())
      .toMatch(/^gateway_policy_loads_total\{outcome="broken"\} [1-9]/mu);
    await rm(join(rig.folder, 'broken.rego'));
  });
});

describe('a call that nothing allows', () => {
  const ALLOW = 'package gateway.policy\ndefault allow = false\nallow { input.request.model == "gpt-4o" }\n';

  it.each([
    { written: undefined, status: 403 },
    { written: 'deny' as const, status: 403 },
    { written: 'allow' as const, status: 200 },
  ])('is $status if a file can allow and default_action is $written', async ({ written, status }) => {
    const own = join(rig.folder, `default-${String(written)}`);
    await mkdir(own);
    await writeFile(join(own, 'allow.rego'), ALLOW);
    const other = await rig.start({
      policy_dir: own,
      ...(written !== undefined && { default_action: written }),
    });
    const model = async (name: string): Promise<number> =>
      (await send(other.baseUrl, { path: CHAT, ...request(name, 'hi') })).status;
    expect([await model('gpt-4o'), await model('gpt-4o-mini')]).toEqual([200, status]);
    await other.stop();
  });
});

describe('a gateway does not start with', () => {
  async function refused(text: string): Promise<string> {
    const own = await mkdtemp(join(tmpdir(), 'gw-test-policies-'));
    await writeFile(join(own, 'x.rego'), text);
    const { code, output } = await serveUntilExit(
      { redis: { addr: gateway.redis.addr }, policy: { enabled: true, policy_dir: own } },
      { SERVER_INSECURE_DEV: 'true' },
    );
    expect(code).not.toBe(0);
    await rm(own, { recursive: true });
    return output;
  }

  it('a broken policy, which it names', async () => {
    expect(await refused('package gateway.policy\ndeny[')).toMatch(/x\.rego:2:/u);
  });

  it('a rule that it could not carry out', async () => {
    expect(await refused('package gateway.policy\nmask contains "ssn" if true\n')).toMatch(/mask/u);
  });

  it('a package that no query uses, such as a misspelled one', async () => {
    expect(await refused('package gateway.polcy\ndeny contains "x" if true\n')).toMatch(
      /no file has a rule in package gateway\.policy/u,
    );
  });
});
