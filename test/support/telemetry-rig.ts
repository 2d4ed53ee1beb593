import { configSchema, type ConfigInput } from '../../src/config/schema.ts';
import { connectRedis, waitUntilReady } from '../../src/redis/client.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';

/** The inputs of the audit trail and traces: a configuration, Redis, metrics, and a readable standard output. */
export async function telemetryRig(input: ConfigInput) {
  const written = configSchema.parse(input);
  const config = { ...written, server: { ...written.server, insecure_dev: false } };
  const redis = connectRedis(config.redis, { name: 'test' });
  await waitUntilReady(redis, 5_000);
  const lines: string[] = [];
  const output = { write: (line: string) => void lines.push(line) };
  return { config, redis, metrics: createMetrics(), lines, output };
}
