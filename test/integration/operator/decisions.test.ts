import { request } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';

import type { Decision, Overview, RequestStory } from '../../../src/operator/api/schemas/traffic.ts';
import { startTestPage } from '../../support/operator/page.ts';
import { appendRecords, findingRecord, requestRecord } from '../../support/operator/records.ts';
import { startTestRedis } from '../../support/redis.ts';

const ADA = { keyHash: `sha256:${'a'.repeat(64)}`, name: 'planner', owner: 'ada' };
const BOB = { keyHash: `sha256:${'b'.repeat(64)}`, name: 'writer', owner: 'bob' };
const REFUSED = {
  status: 403,
  refusal: 'policy_denied',
  disposition: 'blocked',
  message: 'a rule says no',
  unmapped: {
    cost_usd: 0,
    rules: [{ rule: 'block-it', action: 'deny', mode: 'enforce', file: 'card.yaml', line: 3 }],
    findings: [{ rule: 'block-it', detector: 'injection', start: 1, end: 4, place: 'messages.0' }],
  },
} as const;

const redis = await startTestRedis();
afterAll(() => redis.close());
const page = await startTestPage(redis, { audit: { enabled: true, stdout: false } });
afterAll(() => page.close());
const viewer = await page.visitor({});
const owner = await page.visitor({ subject: 'bob', owner: 'bob' });
await appendRecords(redis, [
  requestRecord(ADA, 'r1', { unmapped: { stage: 'forwarding' } }),
  requestRecord(ADA, 'r1'),
  findingRecord(BOB, 'r2'),
  requestRecord(BOB, 'r2', REFUSED),
  ...Array.from({ length: 7 }, (_, nth) => requestRecord(ADA, `more-${String(nth)}`, { status: 502 })),
]);

async function list(query: string, who = viewer): Promise<{ items: Decision[]; next?: string }> {
  const answer = await who.ask(`/api/decisions?${query}`);
  expect(answer.status).toBe(200);
  return answer.json();
}

describe('the list', () => {
  it('has the newest first, by pages, each decision once', async () => {
    const ids: string[] = [];
    for (let cursor = ''; ;) {
      const { items, next } = await list(`limit=4${cursor}`);
      ids.push(...items.map(({ id }) => id));
      if (next === undefined) break;
      cursor = `&cursor=${next}`;
    }
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
    const numbers = ids.map((id) => Number(id.split('-')[1]));
    expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
  });

  it('shows who, what, the outcome and the cost', async () => {
    const { items } = await list('kind=request&key=planner&limit=50');
    expect(items.at(-1)).toEqual({
      id: expect.stringMatching(/^\d+-\d+$/),
      at: expect.stringMatching(/Z$/),
      kind: 'request',
      request_id: 'r1',
      key_hash: ADA.keyHash,
      name: 'planner',
      owner: 'ada',
      agent: null,
      session_id: 's1',
      service: 'openai',
      operation: 'chat',
      model: 'gpt-4o',
      tool: null,
      disposition: 'Allowed',
      status: 200,
      refusal: null,
      message: 'answered',
      cost_usd: 0.25,
      latency_ms: 12,
      input_tokens: 10,
      output_tokens: 20,
    });
  });

  it.each([
    ['kind=finding', 1],
    ['refusal=policy_denied', 1],
    ['disposition=blocked', 1],
    ['owner=bob', 2],
    [`key=${'b'.repeat(8)}`, 2],
    ['key=b', 0],
    ['model=gpt-4o', 9],
    ['service=anthropic', 0],
  ])('is filtered: %s', async (query, count) => {
    expect((await list(query)).items).toHaveLength(count);
  });

  it('shows owners only their own keys', async () => {
    expect((await list('', owner)).items.map(({ owner: of }) => of)).toEqual(['bob', 'bob']);
    expect((await owner.ask('/api/requests/r1')).status).toBe(404);
    expect((await owner.ask('/api/requests/r2')).status).toBe(200);
    expect((await owner.ask('/api/overview')).status).toBe(403);
  });

  it('refuses unknown queries', async () => {
    for (const query of ['limit=0', 'limit=201', 'cursor=x', 'kind=other', 'nonsense=1', 'key=a&key=b'])
      expect((await viewer.ask(`/api/decisions?${query}`)).status).toBe(400);
  });
});

describe('the story of a request', () => {
  it('has every record, with checks, findings by offset, rules and the reservation', async () => {
    const story = (await viewer.ask('/api/requests/r2')).json<RequestStory>();
    expect(story).toMatchObject({ request_id: 'r2', searched: 11, complete: true, trace_url: null });
    expect(story.steps.map(({ stage }) => stage)).toEqual(['finding', 'finished']);
    const [found, finished] = story.steps;
    expect(found?.findings).toMatchObject([
      { rule: 'email', detector: 'dlp', class: 'email', start: 5, end: 21, place: 'messages.0' },
    ]);
    expect(finished).toMatchObject({
      reserved_usd: 0.5,
      outcome: 'done',
      client_address: '10.0.0.1',
      checks: [{ check: 'dlp', decision: 'flagged', reason: 'seen' }],
      rules: [{ rule: 'block-it', action: 'deny', file: 'card.yaml', line: 3 }],
    });
    expect((await viewer.ask('/api/requests/unknown')).status).toBe(404);
  });
});

describe('the last hour', () => {
  it('counts requests, refusals, errors and spend by minute and provider', async () => {
    const { audit, providers, traffic, redis: info } = (await viewer.ask('/api/overview')).json<Overview>();
    expect([audit, traffic.length]).toEqual([true, 60]);
    expect(providers).toEqual([{ provider: 'openai', requests: 9, refused: 1, errors: 7, spend_usd: 2 }]);
    expect(traffic.reduce((sum, { requests }) => sum + requests, 0)).toBe(9);
    expect(info.version).toMatch(/^\d/);
    await appendRecords(redis, [requestRecord(ADA, 'later')]);
    await expect
      .poll(async () => (await viewer.ask('/api/overview')).json<Overview>().providers[0]?.requests)
      .toBe(10);
  });
});

/** Reads server-sent events until the returned function is called. */
function follow(path: string, headers: Record<string, string> = {}) {
  const events: { id: string; data: Decision }[] = [];
  let status = 0;
  const asked = request(
    {
      host: '127.0.0.1',
      port: page.port,
      path,
      headers: { host: `127.0.0.1:${String(page.port)}`, cookie: viewer.cookie, ...headers },
    },
    (response) => {
      status = response.statusCode ?? 0;
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) {
          const [, id] = /^id: (.*)$/m.exec(part) ?? [];
          const [, data] = /^data: (.*)$/m.exec(part) ?? [];
          if (id !== undefined && data !== undefined) events.push({ id, data: JSON.parse(data) as Decision });
        }
      });
    },
  );
  asked.on('error', () => undefined).end();
  return { events, status: () => status, close: () => asked.destroy() };
}

describe('the live stream', () => {
  it('sends each decision within two seconds, filtered, and resumes where it stopped', async () => {
    const first = follow('/api/decisions/live?key=writer');
    await expect.poll(first.status).toBe(200);
    const since = performance.now();
    await appendRecords(redis, [requestRecord(ADA, 'live-1'), requestRecord(BOB, 'live-2')]);
    await expect.poll(() => first.events.map(({ data }) => data.request_id)).toEqual(['live-2']);
    expect(performance.now() - since).toBeLessThan(2_000);
    first.close();
    await appendRecords(redis, [requestRecord(BOB, 'live-3'), requestRecord(BOB, 'live-4')]);
    const again = follow('/api/decisions/live?key=writer', { 'last-event-id': first.events[0]?.id ?? '' });
    await expect.poll(() => again.events.map(({ data }) => data.request_id)).toEqual(['live-3', 'live-4']);
    await appendRecords(redis, [requestRecord(BOB, 'live-5')]);
    await expect.poll(() => again.events.map(({ data }) => data.request_id).at(-1)).toBe('live-5');
    expect(again.events).toHaveLength(3);
    again.close();
  });

  it('is refused to a ninth tab of one person until one is closed', async () => {
    const open = Array.from({ length: 8 }, () => follow('/api/decisions/live'));
    await expect.poll(() => open.every(({ status }) => status() === 200)).toBe(true);
    expect((await viewer.ask('/api/decisions/live')).json()).toMatchObject({
      type: 'overloaded',
      status: 503,
    });
    open[0]?.close();
    await expect
      .poll(() => {
        const ninth = follow('/api/decisions/live');
        open.push(ninth);
        return new Promise((resolve) => setTimeout(() => resolve(ninth.status()), 300));
      })
      .toBe(200);
    for (const one of open) one.close();
  });

  it('needs a session, and a known id to resume', async () => {
    expect((await page.ask('/api/decisions/live')).status).toBe(401);
    const headers = { 'last-event-id': 'x' };
    expect((await viewer.ask('/api/decisions/live', { headers })).status).toBe(400);
  });
});

describe('a request id of two owners', () => {
  it('shows an owner only the owner’s records', async () => {
    await appendRecords(redis, [
      requestRecord(ADA, 'same'),
      findingRecord(ADA, 'same'),
      requestRecord(BOB, 'same'),
    ]);
    const story = (await owner.ask('/api/requests/same')).json<RequestStory>();
    expect(story.steps.map(({ owner: of }) => of)).toEqual(['bob']);
    expect((await viewer.ask('/api/requests/same')).json<RequestStory>().steps).toHaveLength(3);
  });
});

describe('the trace of a request', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  it('is linked to the configured viewer', async () => {
    const viewing = await startTestPage(redis, {
      otel: { viewer_url: 'https://traces.example/explore?id={trace_id}&again={trace_id}' },
    });
    try {
      await appendRecords(redis, [
        requestRecord(ADA, 'traced', { unmapped: { trace_id: TRACE } }),
        requestRecord(ADA, 'forged', { unmapped: { trace_id: '../evil' } }),
      ]);
      const reader = await viewing.visitor({});
      const storyOf = async (id: string) => (await reader.ask(`/api/requests/${id}`)).json<RequestStory>();
      expect(await storyOf('traced')).toMatchObject({
        steps: [{ trace_id: TRACE }],
        trace_url: `https://traces.example/explore?id=${TRACE}&again=${TRACE}`,
      });
      for (const id of ['forged', 'r1']) expect((await storyOf(id)).trace_url).toBeNull();
      const unconfigured = (await viewer.ask('/api/requests/traced')).json<RequestStory>();
      expect(unconfigured.trace_url).toBeNull();
    } finally {
      await viewing.close();
    }
  });
});
