import { createRedisRiskStore } from '../../src/risk/redis-store.ts';
import { riskSettings, type RiskEvent } from '../../src/risk/store.ts';
import { defaultConfig } from './default-config.ts';
import { connectRedis, waitUntilReady } from '../../src/redis/client.ts';

/** A process that records received events, all at once, returns their outcomes, and exits once its parent is gone. */
const config = defaultConfig({ redis: { addr: process.argv[2] ?? '' } });
const client = connectRedis(config.redis, { name: 'risk-scorer' });
await waitUntilReady(client, 5_000);
const store = createRedisRiskStore({ client, deadlineMs: 5_000, settings: riskSettings(config) });

process.once('message', (events) => {
  const recorded = (events as RiskEvent[]).map((event) => store.record(event));
  void Promise.all(recorded).then((outcomes) => process.send?.(outcomes));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
