import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createKeyStore } from '../../../src/auth/key-store.ts';
import type { NewKey } from '../../../src/auth/key-fields.ts';
import { createRedisBudgetStore } from '../../../src/checks/budget/redis-store.ts';
import { windowAccounts } from '../../../src/checks/budget/accounts.ts';
import { sharedBudget } from '../../../src/checks/budget/shared.ts';
import type { BudgetOperation } from '../../../src/checks/budget/store.ts';
import { createRedisPinStore } from '../../../src/checks/mcp-inspector/redis-store.ts';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import type {
  Budget,
  Connect,
  Key,
  KeyDetails,
  RiskRow,
  Session,
  SharedBudget,
} from '../../../src/operator/api/schemas/keys.ts';
import type { Policies } from '../../../src/operator/api/schemas/rules.ts';
import { createRedisEscalationStore } from '../../../src/escalation/redis-store.ts';
import { createRedisRiskStore } from '../../../src/risk/redis-store.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { riskSettings } from '../../../src/risk/store.ts';
import { newEscalation } from '../../support/new-escalation.ts';
import { startTestPage, type TestPage, type Visitor } from '../../support/operator/page.ts';
import { appendRecords, requestRecord } from '../../support/operator/records.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { useKey } from '../../support/use-key.ts';

interface Survey<Item> {
  readonly items: Item[];
  readonly next?: string;
  readonly total: number;
  readonly complete: boolean;
}

const CARD = `metadata: { name: company, version: '1' }
rules:
  - name: no-launch
    match: { type: llm_call }
    conditions: [{ field: prompt_text, op: contains, value: launch }]
    action: deny
    reason: no launches
`;

const TEAM = {
  name: 'team-search',
  match: { owners: ['ada', 'bob'], tags: { team: 'search*' } },
  time_zone: 'UTC',
  daily: 2,
};
const ALL = { name: 'all', time_zone: 'Europe/Vienna', monthly: 100 };

let redis: TestRedis;
let page: TestPage;
let viewer: Visitor;
let bob: Visitor;
let folder: string;
const hashes: Record<string, string> = {};

const place = () => ({ client: redis.client, deadlineMs: 5_000 });

async function newKey(key: Partial<NewKey> & { readonly name: string }): Promise<void> {
  const { record } = await createKeyStore(redis.client).create({ provider: 'openai', ...key });
  hashes[key.name] = record.keyHash;
}

beforeAll(async () => {
  redis = await startTestRedis();
  folder = mkdtempSync(join(tmpdir(), 'gw-test-policies-'));
  writeFileSync(join(folder, 'company.yaml'), CARD);
  for (const name of ['alpha', 'beta', 'gamma', 'delta']) {
    await newKey({ name, owner: name === 'beta' ? 'bob' : 'ada', tags: { team: `team-${name}` } });
  }
  await createKeyStore(redis.client).revoke('delta');
  await newKey({
    name: 'claude',
    provider: 'anthropic',
    allowedModels: ["it's", 'claude-haiku-4-5'],
    agentName: 'Helper',
  });
  const budgets = createRedisBudgetStore({ ...place(), alertPercents: [] });
  await budgets.setLimits(hashes['beta'], { daily: 1e9 });
  await budgets.setLimits(hashes['gamma'], { daily: 4e9, monthly: 100e9 });
  const accounts = windowAccounts({ daily: 1e9 });
  async function reserve(operation: BudgetOperation): Promise<void> {
    await budgets.reserve({
      ...operation,
      inputNanoUsd: 500_000_000,
      outputNanoUsd: 0,
      outputTokens: 1,
      maxGrantTokens: 1,
      minGrantTokens: 1,
      lowestTokens: undefined,
    });
  }
  for (const name of ['beta', 'gamma'])
    await reserve({ keyHash: hashes[name] ?? '', operationId: crypto.randomUUID(), accounts });
  const ofTeam = async () => ({ ...(await sharedBudget(TEAM)), operationId: crypto.randomUUID() });
  const spent = await ofTeam();
  await reserve(spent);
  await budgets.settle({ ...spent, costNanoUsd: 1e9, repeated: false });
  await reserve(await ofTeam());
  const risks = createRedisRiskStore({ ...place(), settings: riskSettings(defaultConfig()) });
  await risks.lock(hashes['gamma'] ?? '', 60_000, 'one', { kind: 'operator', reason: 'odd calls' });
  const sessions = createRedisSessionStore({ ...place(), ttlMs: 60_000, maxPerKey: 0 });
  for (const sessionId of ['s1', 's2', 's3']) {
    const step = { keyHash: hashes['beta'] ?? '', sessionId, operationId: crypto.randomUUID() };
    const opened = await sessions.open({ ...step, maxSteps: 5, budgetNanoUsd: undefined });
    if (opened.kind !== 'opened') throw new Error(opened.kind);
    await sessions.noteAnswered(step, opened.session.createdAt, 'the first *** question');
  }
  for (const name of ['beta', 'gamma']) await useKey(redis.client, hashes[name] ?? '');
  await redis.client.hset(`gateway:key:${hashes['gamma'] ?? ''}`, 'last_used_at', Date.now() - 1_000);
  await redis.client.hset(
    `gateway:key:${hashes['delta'] ?? ''}`,
    'last_used_at',
    Date.now() - 5 * 86_400_000,
  );
  page = await startTestPage(redis, {
    budgets: [ALL, TEAM],
    policy: { enabled: true, presets: [], policy_file: join(folder, 'company.yaml') },
    mcp: { enabled: true, servers: [{ name: 'maps', url: 'https://maps.example/mcp?token=hidden' }] },
    audit: { enabled: true, stdout: false },
    spend: { enabled: true },
    zsp: { escalation_enabled: true, escalation_secret: 'x'.repeat(32) },
  });
  viewer = await page.visitor({});
  bob = await page.visitor({ subject: 'bob', owner: 'bob' });
});
afterAll(async () => {
  await page.close();
  await redis.close();
  rmSync(folder, { recursive: true, force: true });
});

async function get<T>(path: string, who = viewer): Promise<T> {
  const answer = await who.ask(path);
  expect([path, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([path, 200, '']);
  return answer.json<T>();
}

async function names(query: string, who = viewer): Promise<string[]> {
  return (await get<Survey<Key>>(`/api/keys?${query}`, who)).items.map(({ name }) => name);
}

describe('keys', () => {
  it('are sorted, searched and paged', async () => {
    expect(await names('sort=name')).toEqual(['alpha', 'beta', 'claude', 'delta', 'gamma']);
    expect(await names('sort=created')).toHaveLength(5);
    expect(await names('sort=last_used&limit=1')).toEqual(['beta']);
    expect(await names('search=TEAM-al')).toEqual(['alpha']);
    expect(await names('search=helper')).toEqual(['claude']);
    expect(await names(`search=${(hashes['gamma'] ?? '').slice(7, 17)}`)).toEqual(['gamma']);
    expect(await names('owner=bob')).toEqual(['beta']);
    expect(await names('status=revoked')).toEqual(['delta']);
    expect(await names('status=locked')).toEqual(['gamma']);
    const paged: string[] = [];
    for (let cursor = ''; ;) {
      const { items, next, total, complete } = await get<Survey<Key>>(`/api/keys?sort=name&limit=2${cursor}`);
      expect([total, complete]).toEqual([5, true]);
      paged.push(...items.map(({ name }) => name));
      if (next === undefined) break;
      cursor = `&cursor=${next}`;
    }
    expect(paged).toEqual(['alpha', 'beta', 'claude', 'delta', 'gamma']);
  });

  it('show current data, however old the order is', async () => {
    await names('sort=name');
    await createKeyStore(redis.client).revoke('alpha');
    const { items } = await get<Survey<Key>>('/api/keys?sort=name&limit=1');
    expect(items[0]).toMatchObject({ name: 'alpha', status: 'revoked' });
  });

  it('are shown one by one, with budget, risk and lock', async () => {
    const gamma = await get<KeyDetails>('/api/keys/gamma');
    expect(gamma).toMatchObject({
      name: 'gamma',
      locked: true,
      lock_cause: 'an operator has locked it: odd calls',
      tags: { team: 'team-gamma' },
      budget: { source: 'own', used_percent: 12.5 },
      sessions: 0,
    });
    expect(await get<KeyDetails>(`/api/keys/${hashes['beta'] ?? ''}`)).toMatchObject({ sessions: 3 });
    expect((await viewer.ask('/api/keys/nobody')).json()).toMatchObject({ type: 'not_found', status: 404 });
  });

  it('of others do not exist for an owner', async () => {
    expect(await names('', bob)).toEqual(['beta']);
    expect(await names('owner=ada', bob)).toEqual([]);
    for (const path of ['/api/keys/gamma', '/api/connect/gamma', '/api/sessions?key=gamma'])
      expect((await bob.ask(path)).status).toBe(404);
    expect((await get<Survey<Budget>>('/api/budgets', bob)).items.map(({ name }) => name)).toEqual(['beta']);
    expect((await get<Survey<RiskRow>>('/api/risk', bob)).items.map(({ name }) => name)).toEqual(['beta']);
    for (const path of ['/api/overview', '/api/mcp/servers', '/api/mcp/pins', '/api/policies'])
      expect((await bob.ask(path)).json()).toMatchObject({ type: 'forbidden', status: 403 });
  });
});

describe('budgets and risk', () => {
  it('have the fullest first, with reservations', async () => {
    const { items } = await get<Survey<Budget>>('/api/budgets');
    expect(items.slice(0, 2).map(({ name, used_percent }) => [name, used_percent])).toEqual([
      ['beta', 50],
      ['gamma', 12.5],
    ]);
    expect(items[0]?.windows.find(({ window }) => window === 'daily')).toMatchObject({
      limit_usd: 1,
      spent_usd: 0,
      reserved_usd: 0.5,
      remaining_usd: 0.5,
    });
  });

  it('shared by keys show spend and reservations, and are not for owners', async () => {
    const { items } = await get<{ items: SharedBudget[] }>('/api/shared-budgets');
    expect(items.map(({ name, used_percent }) => [name, used_percent])).toEqual([
      ['team-search', 75],
      ['all', 0],
    ]);
    const [team, all] = items;
    expect(team?.match).toEqual([
      { by: 'owners', values: ['ada', 'bob'] },
      { by: 'tags.team', values: ['search*'] },
    ]);
    expect(team?.windows.find(({ window }) => window === 'daily')).toMatchObject({
      limit_usd: 2,
      spent_usd: 1,
      reserved_usd: 0.5,
      remaining_usd: 0.5,
    });
    expect([all?.match, all?.time_zone]).toEqual([[], 'Europe/Vienna']);
    expect((await bob.ask('/api/shared-budgets')).status).toBe(403);
  });

  it('include the locked keys', async () => {
    const { items, total } = await get<Survey<RiskRow>>('/api/risk?held=true');
    expect([total, items[0]?.name, items[0]?.locked]).toEqual([1, 'gamma', true]);
  });
});

describe('sessions', () => {
  it('of all keys and of one are paged', async () => {
    for (const key of ['', '&key=beta']) {
      const ids: string[] = [];
      for (let cursor = ''; ;) {
        const { items, next } = await get<{ items: Session[]; next?: string }>(
          `/api/sessions?limit=2${key}${cursor}`,
        );
        ids.push(...items.map(({ id }) => id));
        if (next === undefined) break;
        cursor = `&cursor=${next}`;
      }
      expect(ids.toSorted()).toEqual(['s1', 's2', 's3']);
    }
  });

  it('show their first question, masked, only to operators', async () => {
    const path = '/api/sessions/s1?key=beta';
    expect(await get(path)).toMatchObject({ id: 's1', key_name: 'beta', max_steps: 5, anchor: null });
    const operator = await page.visitor({ role: 'operator' });
    expect(await get(path, operator)).toMatchObject({ anchor: 'the first *** question' });
    expect((await viewer.ask('/api/sessions/none?key=beta')).status).toBe(404);
  });
});

describe('approvals', () => {
  it('are listed without the nonce that an answer needs', async () => {
    const store = createRedisEscalationStore(place());
    const opened = await store.open(
      newEscalation({ key_name: 'beta', owner: 'bob', arguments: '{"to":"***"}', prompt_text: 'say ***' }),
      {
        waitMs: 60_000,
        maxPending: 10,
        maxPendingPerKey: 10,
      },
    );
    if (opened.kind !== 'opened') throw new Error(opened.kind);
    const answer = await viewer.ask('/api/escalations');
    expect(answer.json()).toMatchObject({ enabled: true, items: [{ id: opened.escalation.id }] });
    expect(answer.text).not.toContain(opened.escalation.nonce);
    const approver = await page.visitor({ subject: 'eve', role: 'approver' });
    const argumentsOf = async (who: Visitor) =>
      Object.entries((await get<{ items: object[] }>('/api/escalations', who)).items[0] ?? {})
        .filter(([name]) => name === 'arguments' || name === 'prompt_text')
        .map(([, value]: [string, unknown]) => value);
    expect(await argumentsOf(approver)).toEqual(['{"to":"***"}', 'say ***']);
    for (const who of [viewer, bob]) expect(await argumentsOf(who)).toEqual(['', '']);
    const body = { calls: [{ operation: 'escalations.list' }] };
    const listed = async (who: Visitor) => (await who.ask('/api/operations', { method: 'POST', body })).text;
    expect(await listed(approver)).toContain('***');
    expect(await listed(viewer)).not.toContain('***');
  });
});

describe('MCP servers', () => {
  it('are shown without the query of their address, with circuit and pins', async () => {
    const pins = createRedisPinStore(place());
    await pins.show('maps', [{ name: 'route', digest: 'a'.repeat(64) }]);
    await pins.show('maps', [{ name: 'route', digest: 'b'.repeat(64) }]);
    const servers = await viewer.ask('/api/mcp/servers');
    expect(servers.json()).toMatchObject({
      enabled: true,
      items: [
        {
          name: 'maps',
          url: 'https://maps.example/mcp',
          circuit: 'closed',
          pinned_tools: 1,
          changed_tools: 1,
        },
      ],
    });
    expect(servers.text).not.toContain('hidden');
    expect(await get('/api/mcp/pins?changed=true')).toMatchObject({
      items: [{ server: 'maps', tool: 'route', digest: 'a'.repeat(64), changed_digest: 'b'.repeat(64) }],
    });
    expect(await get('/api/mcp/pins?changed=false')).toEqual({ items: [] });
  });
});

describe('policies', () => {
  it('are shown rule by rule, with the number of matches, and explained', async () => {
    const rules = [
      { rule: 'no-launch', action: 'deny', mode: 'enforce', file: join(folder, 'company.yaml'), line: 3 },
    ];
    const key = { keyHash: `sha256:${'c'.repeat(64)}`, name: 'c' };
    await appendRecords(redis, [requestRecord(key, 'r1', { unmapped: { rules } })]);
    await expect
      .poll(async () => (await get<Policies>('/api/policies')).files[0]?.rules)
      .toEqual([{ rule: 'no-launch', mode: 'enforce', fired: 1 }]);
    const body = { input: { request: { method: 'llm_call' }, prompt_text: 'when is the launch?' } };
    const explained = await viewer.ask('/api/policies/explain', { method: 'POST', body });
    expect(explained.json()).toMatchObject({ verdict: 'deny', passes: false, reasons: ['no launches'] });
    const wrong = await viewer.ask('/api/policies/explain', { method: 'POST', body: { input: { x: 1 } } });
    expect(wrong.json()).toMatchObject({ type: 'invalid_request', status: 400 });
  });

  it('that are broken on disk are reported', async () => {
    writeFileSync(join(folder, 'company.yaml'), 'rules: 7');
    const { digest, errors } = await get<Policies>('/api/policies');
    expect([digest, errors[0]]).toEqual([null, expect.stringContaining('company.yaml')]);
  });
});

describe('snippets', () => {
  it('have the real address and model, and read keys from the environment', async () => {
    const { address, snippets } = await get<Connect>('/api/connect/claude');
    expect(address).toBe('http://127.0.0.1:8080');
    expect(snippets.map(({ client }) => client)).toEqual([
      'anthropic-python',
      'anthropic-javascript',
      'claude',
      'mcp',
    ]);
    expect(snippets[0]?.text).toContain('base_url="http://127.0.0.1:8080/anthropic"');
    expect(snippets[0]?.text).toContain('model="it\'s"');
    expect(snippets[0]?.text).toContain('os.environ["ANTHROPIC_API_KEY"]');
    expect((await get<Connect>('/api/connect/beta')).snippets[0]?.text).toContain(
      'curl http://127.0.0.1:8080/openai/v1/chat/completions',
    );
  });
});

describe('spend', () => {
  it('is summed from the records', async () => {
    const day = Math.floor(Date.now() / 86_400_000);
    const { spendDayKey } = await import('../../../src/redis/keys.ts');
    await redis.client.hset(spendDayKey(hashes['beta'] ?? '', day), 'openai/gpt-4o', 2_500_000_000);
    expect(await get('/api/spend?by=model&days=2')).toMatchObject({
      by: 'model',
      enabled: true,
      complete: true,
      total_usd: 2.5,
      rows: [{ from: null, group: 'gpt-4o', usd: 2.5 }],
    });
    const ada = await page.visitor({ subject: 'ada', owner: 'ada' });
    expect(await get('/api/spend?by=owner', ada)).toMatchObject({ total_usd: 0, rows: [] });
  });

  it('includes a stream that began days before and ended today', async () => {
    const { spendDayKey } = await import('../../../src/redis/keys.ts');
    const today = Math.floor(Date.now() / 86_400_000);
    await redis.client.hset(spendDayKey(hashes['delta'] ?? '', today), 'openai/long', 1_500_000_000);
    const { rows } = await get<{ rows: unknown[] }>('/api/spend?by=model&days=1');
    expect(rows).toContainEqual({ from: null, group: 'long', usd: 1.5 });
  });
});
