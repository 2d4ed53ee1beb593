import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { scratchCopy, type ScratchCopy } from '../../support/scratch-copy.ts';
import { addTallyCheck } from '../../support/tally-check.ts';

/** Judges one request of a key by the gateway's checks on Redis, and prints the verdict of the added one. */
const JUDGE = `
import { createChecks } from './src/composition/create.ts';
import { loadConfig } from './src/config/load.ts';
import { connectRedis, waitUntilReady } from './src/redis/client.ts';
import { createAuditLog, createLogger } from './src/telemetry/logger.ts';
import { createMetrics } from './src/telemetry/metrics.ts';

const { config } = loadConfig({ path: 'gateway.yaml', env: {} });
const redis = connectRedis(config.redis, { name: 'tally' });
await waitUntilReady(redis, 10_000);
const nowhere = { write() {} };
const checks = await createChecks({
  config,
  redis,
  log: createLogger('silent', {}, nowhere),
  auditLog: createAuditLog({}, nowhere),
  metrics: createMetrics(),
  policies: undefined,
  approvals: undefined,
  alerts: undefined,
});
const tally = checks.inOrder.find(({ name }) => name === 'tally');
const [keyHash, text] = process.argv.slice(2);
const verdict = await tally.requestBody({ key: { keyHash }, request: { texts: [{ text }] } });
console.log(verdict.message ?? verdict.kind);
await checks.close();
redis.disconnect();
`;

let redis: TestRedis;
let scratch: ScratchCopy;
beforeAll(async () => {
  redis = await startTestRedis();
  scratch = scratchCopy();
  addTallyCheck(scratch);
  scratch.write('judge.ts', JUDGE);
  scratch.write(
    'gateway.yaml',
    JSON.stringify({ redis: { addr: redis.addr }, tallying: { max_capitals: 4 } }),
  );
});
afterAll(async () => {
  scratch.remove();
  await redis.close();
});

describe('a check with a store, added by its folder, its line in order.ts and its key in redis/keys.ts', () => {
  it('keeps its state in Redis, where other gateways find it', async () => {
    const said: string[] = [];
    for (const [key, text] of [
      ['a', 'DO'],
      ['b', 'IT'],
      ['a', 'NOW'],
    ] as const) {
      said.push((await scratch.node('judge.ts', key, text)).trim());
    }
    expect(said).toEqual(['pass', 'pass', '5 capitals so far']);
  });
});
