import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { signApproval } from '../../src/escalation/approval.ts';
import type { Escalation } from '../../src/escalation/escalation.ts';
import { serveUntilExit, type TestGateway, type TestKey } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { gatewayProgram } from '../support/parts.ts';
import { startPolicyRig, type PolicyRig } from '../support/policy-rig.ts';
import { cli, expectRefusal } from './budgets/rig.ts';

/** docs/approvals.md: approvals of escalated requests, and Envoy that waits for them. */
const CHAT = '/openai/v1/chat/completions';
const SECRET = 'the secret of all approvers';
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const POLICY = `package gateway.policy

escalate contains "a dear model" if input.request.model == "gpt-4-dear"
quarantine contains "a forbidden model" if input.request.model == "gpt-4-forbidden"
escalate contains "say is dangerous" if input.request.tool_name == "echo"
`;
/** Under what a person takes here, so that each of Envoy's timers would cut first. */
const SHORT = { read: '1s', upstream: '2s', redis: '200ms' } as const;
const LONGER_THAN_ENVOY_WAITS_MS = 8_000;

let rig: PolicyRig;
let gateway: TestGateway;
let key: TestKey;

/** Of `alerting.webhook_url`. */
const receiver = createServer();
const alerts: { readonly type: string; readonly data: Record<string, unknown> }[] = [];
receiver.on('request', (request, response) => {
  void text(request).then((body) => {
    alerts.push(
      new Webhook(WEBHOOK_SECRET).verify(body, request.headers as never) as (typeof alerts)[number],
    );
    response.writeHead(204).end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const alerting = {
    webhook_url: `http://127.0.0.1:${String(port)}/`,
    secret: WEBHOOK_SECRET,
    events: ['quarantine' as const, 'escalation' as const],
  };
  rig = await startPolicyRig({ files: { 'a.rego': POLICY } });
  gateway = await rig.start({}, { ...approvalsOn({ escalation_timeout: '20s' }), alerting });
});
afterAll(async () => {
  await rig.close();
  receiver.close();
});
beforeEach(async () => {
  key = await gateway.createKey({ name: 'planner' });
});

function approvalsOn(zsp: object) {
  return {
    zsp: { escalation_enabled: true, escalation_secret: SECRET, ...zsp },
    server: { read_timeout: SHORT.read },
    proxy: { upstream_timeout: SHORT.upstream },
    redis: { read_timeout: SHORT.redis },
    pricing: { overrides: { 'gpt-4-dear': { input: 1, output: 1 } } },
  };
}

function ask(
  more: { signal?: AbortSignal; key?: TestKey; at?: TestGateway; model?: string } = {},
): Promise<Reply> {
  const { at = gateway, key: of = key, signal, model = 'gpt-4-dear' } = more;
  return send(at.baseUrl, {
    path: CHAT,
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
    headers: headersOf(of),
    ...(signal !== undefined && { signal }),
  });
}

function headersOf({ rawKey }: TestKey) {
  return {
    authorization: `Bearer ${rawKey}`,
    'x-gateway-provider-key': 'sk-provider-0123456789',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
}

/** The requests of a key that wait now, as they stand in Redis. */
async function waitingOf({ keyHash }: TestKey, count = 1): Promise<readonly Escalation[]> {
  return vi.waitFor(
    async () => {
      const { client } = rig.redis;
      const ids = await client.zrange('gateway:escalation:pending', 0, -1);
      const records = await Promise.all(ids.map((id) => client.get(`gateway:escalation:${id}`)));
      const own = records
        .flatMap((json) => (json === null ? [] : [JSON.parse(json) as Escalation]))
        .filter(({ key_hash }) => key_hash === keyHash);
      expect(own).toHaveLength(count);
      return own;
    },
    { timeout: 5_000, interval: 20 },
  );
}

async function oneOf(of = key): Promise<Escalation> {
  const [one] = await waitingOf(of);
  if (one === undefined) throw new Error('nothing waits');
  return one;
}

function signed(asked: Escalation, changes: object = {}, secret = SECRET): string {
  const { id, nonce, key_hash, request_digest, expiry } = asked;
  const unsigned = {
    id,
    nonce,
    key_hash,
    request_digest,
    expiry,
    decision: 'approve' as const,
    approver: 'eve',
  };
  return JSON.stringify(signApproval({ ...unsigned, ...changes }, secret));
}

const channelOf = ({ id }: Escalation): string => `gateway:escalation:approvals:${id}`;

async function riskScore(): Promise<number> {
  const { stdout } = await cli(gateway, 'risk', 'show', key.keyHash, '--output', 'json');
  return (JSON.parse(stdout) as { risk_score: number }).risk_score;
}

describe('a call of a model that needs an approval', () => {
  it('waits longer than every timer of Envoy, and goes on when it is approved', async () => {
    const before = rig.provider.requests.length;
    const reply = ask();
    const { id } = await oneOf();
    await delay(LONGER_THAN_ENVOY_WAITS_MS);
    expect(rig.provider.requests.length).toBe(before);
    const approved = await cli(
      gateway,
      'escalations',
      'approve',
      id.slice(0, 8),
      '--as',
      'ada',
      '--output',
      'json',
    );
    expect(approved.code).toBe(0);
    expect(JSON.parse(approved.stdout)).toMatchObject({ id, decision: 'approve', outcome: 'approved' });
    expect((await reply).status).toBe(200);
    expect(rig.provider.requests.length).toBe(before + 1);
    expect(await riskScore()).toBe(15);
    await waitingOf(key, 0);
    expect(gateway.logs()).toMatch(/"outcome":"approved","approver":"ada"/);
  });

  it('is 403 escalation_denied where a person says no', async () => {
    const before = rig.provider.requests.length;
    const reply = ask();
    const { id } = await oneOf();
    expect((await cli(gateway, 'escalations', 'deny', id, '--as', 'ada')).stdout).toContain('is denied');
    expectRefusal(await reply, 403, 'escalation_denied');
    expect(rig.provider.requests.length).toBe(before);
    expect(await riskScore()).toBe(15);
  });

  it('says to people who asks for what, and nothing of the prompt', async () => {
    const reply = ask();
    const asked = await oneOf();
    expect(asked).toMatchObject({
      key_name: 'planner',
      method: 'llm_call',
      provider: 'openai',
      model: 'gpt-4-dear',
      rules: [{ rule: 'escalate', reason: 'a dear model' }],
    });
    const { stdout } = await cli(gateway, 'escalations', 'list');
    expect(stdout).toMatch(/planner +openai gpt-4-dear +escalate/);
    expect(JSON.stringify(asked)).not.toContain('"hi"');
    await cli(gateway, 'escalations', 'deny', asked.id, '--as', 'ada');
    await reply;
  });

  it('is taken back where its client leaves', async () => {
    const client = new AbortController();
    const reply = ask({ signal: client.signal });
    const { id } = await oneOf();
    client.abort();
    await reply;
    await waitingOf(key, 0);
    const late = await cli(gateway, 'escalations', 'approve', id, '--as', 'ada');
    expect(late.code).toBe(1);
    expect(late.stderr).toMatch(/no request .* waits/);
    expect(await gateway.metrics()).toMatch(/gateway_escalations_total\{outcome="withdrawn"\} [1-9]/);
  });

  it('is refused after its approval where its key was revoked or locked, or its budget is spent, meanwhile', async () => {
    const [revoked, locked, spent] = [
      await gateway.createKey(),
      await gateway.createKey(),
      await gateway.createKey(),
    ];
    const replies = [revoked, locked, spent].map((of) => ask({ key: of }));
    const waiting = await Promise.all([revoked, locked, spent].map((of) => oneOf(of)));
    await cli(gateway, 'keys', 'revoke', revoked.keyHash);
    await cli(gateway, 'quarantine', 'set', locked.keyHash);
    await gateway.setBudget(spent.keyHash, { daily: 0 });
    for (const asked of waiting) await rig.redis.client.publish(channelOf(asked), signed(asked));
    const [first, second, third] = await Promise.all(replies);
    expectRefusal(first as Reply, 401, 'invalid_key');
    expectRefusal(second as Reply, 403, 'quarantined');
    expectRefusal(third as Reply, 429, 'budget_exceeded');
  });
});

describe('an answer', () => {
  it('counts where it is kept and nobody heard it', async () => {
    const reply = ask();
    const asked = await oneOf();
    await rig.redis.client.set(channelOf(asked), signed(asked), 'PX', 60_000);
    expect((await reply).status).toBe(200);
  });

  it.each([
    ['forged', (asked: Escalation) => signed(asked, {}, 'another secret')],
    ['forged', (asked: Escalation) => signed(asked).replace('"eve"', '"ada"')],
    ['expired', (asked: Escalation) => signed(asked, { expiry: asked.requested_at })],
    ['mismatched', (asked: Escalation) => signed(asked, { nonce: 'A'.repeat(22) })],
    ['mismatched', (asked: Escalation) => signed(asked, { request_digest: `sha256:${'0'.repeat(64)}` })],
    ['malformed', () => '{"decision":"approve"}'],
    ['malformed', () => `"${'x'.repeat(100_000)}"`],
  ])('that is %s is refused, and the request waits on for a good one', async (fault, make) => {
    async function count(): Promise<number> {
      const found = new RegExp(`answers_refused_total\\{fault="${fault}"\\} (\\d+)`).exec(
        await gateway.metrics(),
      );
      return Number(found?.[1] ?? 0);
    }
    const before = await count();
    const reply = ask();
    const asked = await oneOf();
    await rig.redis.client.publish(channelOf(asked), make(asked));
    await vi.waitFor(async () => expect(await count()).toBe(before + 1));
    expect(await waitingOf(key)).toHaveLength(1);
    // What was put where answers are kept keeps no person from giving one.
    await rig.redis.client.set(channelOf(asked), make(asked), 'PX', 60_000);
    expect((await cli(gateway, 'escalations', 'approve', asked.id, '--as', 'ada')).code).toBe(0);
    expect((await reply).status).toBe(200);
  });

  it('that was given to one request lets no other pass', async () => {
    const first = ask();
    const one = await oneOf();
    const answer = signed(one);
    await rig.redis.client.publish(channelOf(one), answer);
    expect((await first).status).toBe(200);
    const second = ask();
    const other = await oneOf();
    await rig.redis.client.publish(channelOf(other), answer);
    await rig.redis.client.publish(channelOf(one), answer);
    await delay(300);
    expect(await waitingOf(key)).toHaveLength(1);
    await cli(gateway, 'escalations', 'deny', other.id, '--as', 'ada');
    expectRefusal(await second, 403, 'escalation_denied');
  });

  it('of one of many people is the only one, and each request gets its own', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => gateway.createKey()));
    const replies = keys.map((of) => ask({ key: of }));
    const waiting = await Promise.all(keys.map((of) => oneOf(of)));
    const answers = await Promise.all(
      waiting.flatMap(({ id }, index) =>
        ['ada', 'bob'].map((name) =>
          cli(gateway, 'escalations', index === 1 ? 'deny' : 'approve', id, '--as', name),
        ),
      ),
    );
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 0, 0, 1, 1, 1]);
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 403, 200]);
  });
});

describe('a call of a tool that needs an approval', () => {
  const call = (): Promise<Reply> =>
    send(gateway.baseUrl, {
      path: '/mcp/whole/tools/call',
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text: 'hello' } },
      }),
      headers: headersOf(key),
    });

  it('is a JSON-RPC error where a person says no', async () => {
    const reply = call();
    const asked = await oneOf();
    expect(asked).toMatchObject({
      method: 'mcp_tool_call',
      mcp_server: 'whole',
      tool_name: 'echo',
      model: '',
    });
    await cli(gateway, 'escalations', 'deny', asked.id, '--as', 'ada');
    const { status, body } = await reply;
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      id: 7,
      error: { code: -32001, data: { type: 'escalation_denied', tool_name: 'echo', rule: 'escalate' } },
    });
  });

  it('reaches its server once it is approved', async () => {
    const before = rig.wholeServer.requests.length;
    const reply = call();
    const asked = await oneOf();
    expect(rig.wholeServer.requests.length).toBe(before);
    await cli(gateway, 'escalations', 'approve', asked.id, '--as', 'ada');
    await reply;
    expect(rig.wholeServer.requests.length).toBe(before + 1);
  });
});

it('is told to the webhook, as a key that gets locked is', async () => {
  const reply = ask();
  const { id, nonce } = await oneOf();
  await cli(gateway, 'escalations', 'deny', id, '--as', 'ada');
  await reply;
  expectRefusal(await ask({ model: 'gpt-4-forbidden' }), 403, 'policy_denied');
  const told = () => alerts.filter(({ data }) => data['key_hash'] === key.keyHash);
  await expect.poll(told).toMatchObject([
    { type: 'escalation.requested', data: { id, key_name: 'planner', model: 'gpt-4-dear' } },
    { type: 'key.quarantined', data: { trigger: 'quarantine', lock_seconds: 3_600, blocked: false } },
  ]);
  expect(JSON.stringify(told())).not.toContain(nonce);
});

it('tells who watches of each request, in lines of JSON', async () => {
  const child = spawn(
    process.execPath,
    [await gatewayProgram(), '--config', gateway.configFile, 'escalations', 'watch', '--output', 'json'],
    { env: { ...process.env, SERVER_INSECURE_DEV: 'true' }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const events = (): { type: string }[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { type: string });
  try {
    const reply = ask();
    const { id } = await oneOf();
    await vi.waitFor(() => expect(events()).toContainEqual(expect.objectContaining({ id })), 10_000);
    await cli(gateway, 'escalations', 'deny', id, '--as', 'ada');
    await reply;
    const resolved = { type: 'escalation.resolved', id, outcome: 'denied', approver: 'ada' };
    await vi.waitFor(() => expect(events()).toContainEqual(resolved), 10_000);
    expect(text).not.toContain('nonce');
  } finally {
    child.kill();
  }
});

describe('a gateway of few and short waits', () => {
  it('is 504 escalation_timeout where nobody answers, and denies at once what is too many', async () => {
    const narrow = await rig.start({}, approvalsOn({ escalation_timeout: '3s', max_pending: 1 }));
    const first = ask({ at: narrow });
    await oneOf();
    const another = await ask({ at: narrow });
    expectRefusal(another, 403, 'escalation_denied');
    expect(another.body).toContain('too many requests wait');
    expectRefusal(await first, 504, 'escalation_timeout');
    await waitingOf(key, 0);
    expect(await narrow.stop()).toBe(0);
  });

  it('lets a person answer while it drains, and leaves nothing waiting once it is over', async () => {
    const leaving = await rig.start(
      {},
      {
        ...approvalsOn({ escalation_timeout: '60s' }),
        server: { read_timeout: SHORT.read, drain_timeout: '3s' },
      },
    );
    const other = await leaving.createKey();
    const [answered, unanswered] = [ask({ at: leaving }), ask({ at: leaving, key: other })];
    const [asked, open] = [await oneOf(), await oneOf(other)];
    const stopped = leaving.stop();
    await rig.redis.client.publish(channelOf(asked), signed(asked));
    expect((await answered).status).toBe(200);
    expect(await unanswered).toMatchObject({ cut: true });
    expect(await stopped).toBe(0);
    await waitingOf(other, 0);
    expect((await cli(gateway, 'escalations', 'approve', open.id, '--as', 'ada')).code).toBe(1);
  });

  it('refuses to start without a secret', async () => {
    const { code, output } = await serveUntilExit(
      { zsp: { escalation_enabled: true } },
      { SERVER_INSECURE_DEV: 'true' },
    );
    expect(code).not.toBe(0);
    expect(output).toContain('zsp.escalation_secret');
  });
});

it('refuses what waits with 503 where Redis goes', async () => {
  const reply = ask();
  await oneOf();
  await rig.redis.stop();
  try {
    expectRefusal(await reply, 503, 'redis_unavailable');
  } finally {
    await rig.redis.start();
  }
});
