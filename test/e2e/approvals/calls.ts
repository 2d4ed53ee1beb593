import { setTimeout as delay } from 'node:timers/promises';
import { it, expect, vi } from 'vitest';
import { cli, expectRefusal } from '../budgets/rig.ts';
import { type Reply, send } from '../../support/http.ts';
import type { Escalation } from '../../../src/escalation/escalation.ts';
import { gateway, key, rig, ask, oneOf, waitingOf, channelOf, signed, headersOf } from './rig.ts';

const LONGER_THAN_ENVOY_WAITS_MS = 8_000;

async function riskScore(): Promise<number> {
  const { stdout } = await cli(gateway, 'risk', 'show', key.keyHash, '--output', 'json');
  return (JSON.parse(stdout) as { risk_score: number }).risk_score;
}

export function modelCalls(): void {
  it('waits longer than every Envoy timer and continues when it is approved', async () => {
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
    await expect.poll(() => gateway.logs()).toMatch(/"outcome":"approved","approver":"ada"/);
  });

  it('is 403 escalation_denied if a person refuses', async () => {
    const before = rig.provider.requests.length;
    const reply = ask();
    const { id } = await oneOf();
    expect((await cli(gateway, 'escalations', 'deny', id, '--as', 'ada')).stdout).toContain('is denied');
    expectRefusal(await reply, 403, 'escalation_denied');
    expect(rig.provider.requests.length).toBe(before);
    expect(await riskScore()).toBe(15);
  });

  it('tells approvers who asks for what, and nothing of the prompt', async () => {
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

  it('is withdrawn when its client disconnects', async () => {
    const client = new AbortController();
    const reply = ask({ signal: client.signal });
    const { id } = await oneOf();
    client.abort();
    await reply;
    await waitingOf(key, 0);
    const late = await cli(gateway, 'escalations', 'approve', id, '--as', 'ada');
    expect(late.code).toBe(1);
    expect(late.stderr).toMatch(/no request .* is waiting/);
    await expect
      .poll(() => gateway.metrics())
      .toMatch(/gateway_escalations_total\{outcome="withdrawn"\} [1-9]/);
  });

  it('is refused after its approval if meanwhile its key was revoked or locked, or its budget was spent', async () => {
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
}

export function answers(): void {
  it.each([
    ['provider credentials', ['--credentials', 'none']],
    ['modes of policy rules', ['--policy-overrides', 'escalate=report']],
  ])('admits no request of a key whose %s have changed meanwhile', async (_what, options) => {
    const changed = await gateway.createKey({ credentials: ['held'] });
    const before = rig.provider.requests.length;
    const reply = ask({ key: changed });
    const asked = await oneOf(changed);
    expect((await cli(gateway, 'keys', 'update', changed.keyHash, ...options)).code).toBe(0);
    await rig.redis.client.publish(channelOf(asked), signed(asked));
    expectRefusal(await reply, 403, 'policy_denied');
    expect((await reply).body).toContain('key was changed while');
    expect(rig.provider.requests.length).toBe(before);
  });

  it('takes effect if it was stored and never announced', async () => {
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
  ])('that is %s is refused, and the request waits for a good one', async (fault, make) => {
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
    // A forged entry among the answers does not prevent a real one.
    await rig.redis.client.set(channelOf(asked), make(asked), 'PX', 60_000);
    expect((await cli(gateway, 'escalations', 'approve', asked.id, '--as', 'ada')).code).toBe(0);
    expect((await reply).status).toBe(200);
  });

  it('that was given to one request admits no other', async () => {
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

  it('from one of many people is final, and each request gets its own', async () => {
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
}

export function toolCalls(): void {
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

  it('is a JSON-RPC error if a person refuses', async () => {
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

  it('reaches its server after the approval', async () => {
    const before = rig.wholeServer.requests.length;
    const reply = call();
    const asked = await oneOf();
    expect(rig.wholeServer.requests.length).toBe(before);
    await cli(gateway, 'escalations', 'approve', asked.id, '--as', 'ada');
    await reply;
    expect(rig.wholeServer.requests.length).toBe(before + 1);
  });
}
