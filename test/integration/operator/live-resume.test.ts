import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { startTestPage, type TestPage, type Visitor } from '../../support/operator/page.ts';
import { appendRecords, requestRecord } from '../../support/operator/records.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

const KEY = { keyHash: `sha256:${'a'.repeat(64)}`, name: 'planner', owner: 'ada' };
/** Their events have far more bytes than may wait for a slow reader. */
const MISSED = 6_000;

let redis: TestRedis;
let page: TestPage;
let viewer: Visitor;

beforeAll(async () => {
  redis = await startTestRedis();
  page = await startTestPage(redis, { audit: { enabled: true, stdout: false } });
  viewer = await page.visitor({});
});
afterAll(async () => {
  await page.close();
  await redis.close();
});

it('a live stream that was away for long gets all that it missed, and goes on', async () => {
  for (let from = 0; from < MISSED; from += 500)
    await appendRecords(
      redis,
      Array.from({ length: 500 }, (_, nth) => requestRecord(KEY, `missed-${String(from + nth)}`)),
    );
  const stream = follow('1-0');
  await expect.poll(() => stream.ids().length, { timeout: 10_000 }).toBe(MISSED);
  await appendRecords(redis, [requestRecord(KEY, 'later')]);
  await expect.poll(() => stream.ids().at(-1)).toBe('later');
  expect(new Set(stream.ids()).size).toBe(MISSED + 1);
  expect(stream.isOpen()).toBe(true);
  stream.close();
});

function follow(last: string) {
  const headers = {
    host: `127.0.0.1:${String(page.port)}`,
    cookie: viewer.cookie,
    'last-event-id': last,
  };
  let text = '';
  let open = true;
  const asked = request(
    { host: '127.0.0.1', port: page.port, path: '/api/decisions/live', headers },
    (response) => {
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', () => undefined).on('close', () => (open = false));
    },
  );
  asked.on('error', () => undefined).end();
  return {
    ids: () => [...text.matchAll(/"request_id":"([^"]*)"/g)].map(([, id]) => id),
    isOpen: () => open,
    close: () => asked.destroy(),
  };
}
