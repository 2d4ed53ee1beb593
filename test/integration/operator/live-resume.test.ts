import { request } from 'node:http';
import { afterAll, expect, it } from 'vitest';

import { createStreamStore } from '../../../src/audit/stream-store.ts';
import { createFeed } from '../../../src/operator/decisions/feed.ts';
import { startTestPage } from '../../support/operator/page.ts';
import { appendRecords, requestRecord } from '../../support/operator/records.ts';
import { startTestRedis } from '../../support/redis.ts';

const KEY = { keyHash: `sha256:${'a'.repeat(64)}`, name: 'planner', owner: 'ada' };
/** Their events have far more bytes than a slow reader’s queue may hold. */
const MISSED = 6_000;
/** More than one connection sends. */
const MANY = 10_500;

const redis = await startTestRedis();
afterAll(() => redis.close());
const page = await startTestPage(redis, { audit: { enabled: true, stdout: false } });
afterAll(() => page.close());
const viewer = await page.visitor({});

it('a live stream that was interrupted for long gets everything it missed, and continues', async () => {
  await append(0, MISSED);
  const stream = follow('1-0');
  await expect.poll(() => stream.ids().length, { timeout: 10_000 }).toBe(MISSED);
  await appendRecords(redis, [requestRecord(KEY, 'later')]);
  await expect.poll(() => stream.ids().at(-1)).toBe('later');
  expect(new Set(stream.ids()).size).toBe(MISSED + 1);
  expect(stream.isOpen()).toBe(true);
  stream.close();
});

it('one that missed more than a connection sends gets the rest with the next ones', async () => {
  await append(MISSED + 1, MANY - MISSED);
  const first = follow('1-0');
  await expect.poll(first.isOpen, { timeout: 20_000 }).toBe(false);
  expect(first.ids()).toHaveLength(10_000);
  const second = follow(first.last());
  await expect.poll(() => second.ids().length, { timeout: 20_000 }).toBe(MANY + 1 - 10_000);
  expect(new Set([...first.ids(), ...second.ids()]).size).toBe(MANY + 1);
  expect(second.isOpen()).toBe(true);
  second.close();
});

it('a stream continues even if its filter shows none of them', async () => {
  const first = follow('1-0', '?key=nobody');
  await expect.poll(first.isOpen, { timeout: 20_000 }).toBe(false);
  expect(first.ids()).toEqual([]);
  const second = follow(first.last(), '?key=nobody');
  await appendRecords(redis, [requestRecord({ ...KEY, name: 'nobody' }, 'at-last')]);
  await expect.poll(second.ids, { timeout: 20_000 }).toEqual(['at-last']);
  second.close();
});

it('one whose gateway reads behind a busy trail ends instead of skipping some', async () => {
  const audit = createStreamStore({ client: redis.client, deadlineMs: 5_000, maxLength: 100_000 });
  const busy = Promise.withResolvers<boolean>();
  const seen: string[] = [];
  const feed = createFeed({
    audit: {
      before: audit.before,
      after: async (...of) => {
        await busy.promise;
        return audit.after(...of);
      },
    },
    readClock: () => Promise.resolve(Date.now()),
  });
  const gap = Promise.withResolvers<boolean>();
  await feed.lastHour();
  feed.follow({
    onDecisions: (all) => seen.push(...all.map(({ id }) => id)),
    onGap: () => gap.resolve(true),
  });
  await append(20_000, 10_500);
  busy.resolve(true);
  await gap.promise;
  expect(seen).toHaveLength(10_000);
  feed.close();
});

it('a new one reads what it missed up to the start of the feed', async () => {
  const audit = createStreamStore({ client: redis.client, deadlineMs: 5_000, maxLength: 100_000 });
  const feed = createFeed({
    audit,
    readClock: async () => {
      await appendRecords(redis, [requestRecord(KEY, 'at-the-start')]);
      return Date.now();
    },
  });
  const [newest] = await audit.before('+', 1);
  const seen: string[] = [];
  const { started } = feed.follow({
    onDecisions: (all) => seen.push(...all.map(({ request_id: id }) => id)),
    onGap: () => undefined,
  });
  await started;
  const missed = await audit.after(newest?.id ?? '0-0', 500);
  await appendRecords(redis, [requestRecord(KEY, 'after-it')]);
  await expect.poll(() => seen).toContain('after-it');
  expect([...seen, ...missed.map(({ record }) => record)].join(' ')).toContain('at-the-start');
  feed.close();
});

async function append(from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at += 500)
    await appendRecords(
      redis,
      Array.from({ length: Math.min(500, from + count - at) }, (_, nth) =>
        requestRecord(KEY, `missed-${String(at + nth)}`),
      ),
    );
}

function follow(last: string, query = '') {
  const headers = {
    host: `127.0.0.1:${String(page.port)}`,
    cookie: viewer.cookie,
    'last-event-id': last,
  };
  let text = '';
  let open = true;
  const asked = request(
    { host: '127.0.0.1', port: page.port, path: `/api/decisions/live${query}`, headers },
    (response) => {
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', () => undefined).on('close', () => (open = false));
    },
  );
  asked.on('error', () => undefined).end();
  return {
    ids: () => [...text.matchAll(/"request_id":"([^"]*)"/g)].map(([, id]) => id),
    /** The last id, as a browser keeps it: also that of an event without data. */
    last: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? last,
    isOpen: () => open,
    close: () => asked.destroy(),
  };
}
