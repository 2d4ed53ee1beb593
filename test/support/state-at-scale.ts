import { performance } from 'node:perf_hooks';
import type { Redis } from 'ioredis';
import { KEY_INDEX, KEY_NAMES, KEYS_BY_CREATION, KEYS_BY_USE } from '../../src/redis/keys.ts';
import { askWith } from './ask-provider.ts';
import { createFakeProvider } from './fake-provider/index.ts';
import { gatewayProgram } from './parts.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { startTestRedis, type TestRedis } from './redis.ts';
import { runProgram } from './run-cli.ts';

export interface StateSize {
  readonly keys: number;
  /** Live sessions, one for each of the first keys. */
  readonly sessions: number;
}

/** The costs at one size of the state. Times are in milliseconds. */
export interface StateCost extends StateSize {
  readonly startMs: number;
  readonly requestMs: { readonly p50: number; readonly p99: number };
  readonly metricsMs: number;
  readonly metricsBytes: number;
  readonly commandMs: Readonly<Record<string, number>>;
  /** Redis memory, beyond that of a few keys. */
  readonly bytesPerKey: number;
  readonly bytesPerSession: number;
}

/** In the order of creation, in another order, and for one key. */
const COMMANDS = [
  'keys list --limit 50',
  'budget status --sort created --limit 50',
  'risk list --sort created --limit 50',
  'keys show plain-1',
  'complete keys talking-1000',
  'keys list --sort name --limit 50',
  'keys list --sort last-used --limit 50',
  'quarantine list',
  'spend',
  'sessions list --limit 50',
  'risk list --limit 50',
  'budget status --limit 50',
] as const;

const SESSION = 'run-0';
/** Keys without a session were last used so long ago that no budget remembers it. */
const UNUSED_MS = 60 * 86_400_000;
const PER_SCRIPT = 2_000;
const REQUESTS = 200;

/**
 * Copies all Redis data of one key to others: the copies' names differ in the hash of the key. Redis does it
 * itself, a million in a minute or two.
 */
const COPY_KEYS = `
local from, to, model, name_prefix = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]
local unused_ms = tonumber(ARGV[5])
for nth = from, to do
  local hash = 'sha256:' .. redis.sha1hex(nth) .. string.sub(redis.sha1hex(nth .. 'x'), 1, 24)
  for _, key in ipairs(KEYS) do
    redis.call('COPY', key, (string.gsub(key, model, hash)))
  end
  local record = 'gateway:key:' .. hash
  redis.call('HDEL', record, 'raw:' .. model)
  redis.call('HSET', record, 'key_hash', hash, 'raw:' .. hash, '0', 'name', name_prefix .. nth)
  redis.call('ZADD', '${KEY_INDEX}', 0, hash)
  redis.call('ZADD', '${KEYS_BY_CREATION}', redis.call('HGET', record, 'created_at'), hash)
  redis.call('HSET', '${KEY_NAMES}', name_prefix .. nth, hash)
  local used_at = string.format('%.0f', tonumber(redis.call('HGET', record, 'last_used_at')) - unused_ms)
  redis.call('HSET', record, 'last_used_at', used_at)
  redis.call('ZADD', '${KEYS_BY_USE}', used_at, hash)
end`;

/** Fills a Redis with copies of keys that real requests have used, measures a gateway on it, and stops both. */
export async function measureState(
  size: StateSize,
  note: (line: string) => void = () => undefined,
): Promise<StateCost> {
  const redis = await startTestRedis();
  const provider = await createFakeProvider();
  const config = { providers: { openai: { base_url: provider.url } } };
  try {
    const first = await startGateway({ redis, config });
    const filled = await fillState(first, size);
    await first.stop();
    note(`${String(size.keys)} keys, ${String(size.sessions)} sessions: ${JSON.stringify(filled)}`);
    const started = performance.now();
    const gateway = await startGateway({ redis, config });
    const startMs = performance.now() - started;
    try {
      return { ...size, ...filled, startMs, ...(await measure(gateway, note)) };
    } finally {
      await gateway.stop();
    }
  } finally {
    await provider.close();
    await redis.close();
  }
}

/** Makes copies of two keys that real requests have used. */
async function fillState(gateway: TestGateway, { keys, sessions }: StateSize) {
  const { client } = gateway.redis;
  const [plain, talking] = await Promise.all([
    used(gateway, {}),
    used(gateway, { 'x-gateway-session-id': SESSION }),
  ]);
  const before = await usedBytes(client);
  await copy(client, plain, { count: keys - sessions, name: 'plain-' });
  const between = await usedBytes(client);
  await copy(client, talking, { count: sessions, name: 'talking-' });
  const bytesPerKey = (between - before) / Math.max(1, keys - sessions);
  const perBoth = ((await usedBytes(client)) - between) / Math.max(1, sessions);
  return { bytesPerKey: Math.round(bytesPerKey), bytesPerSession: Math.round(perBoth - bytesPerKey) };
}

/** A key with a budget that a request has used. */
async function used(gateway: TestGateway, headers: Readonly<Record<string, string>>): Promise<string> {
  const { rawKey, keyHash } = await gateway.createKey({}, { daily: 5 });
  const reply = await ask(gateway, rawKey, headers);
  if (reply.status !== 200) throw new Error(`the request was refused: ${String(reply.status)} ${reply.body}`);
  return keyHash;
}

function ask(gateway: TestGateway, rawKey: string, headers: Readonly<Record<string, string>> = {}) {
  const body = { model: 'gpt-4o', max_tokens: 20, messages: [{ role: 'user', content: 'Say hello.' }] };
  return askWith(gateway, rawKey, '/openai/v1/chat/completions', body, headers);
}

async function copy(
  client: Redis,
  model: string,
  { count, name }: { readonly count: number; readonly name: string },
): Promise<void> {
  const names = await client.keys(`*${model}*`);
  const escaped = model.replaceAll('-', '%-');
  for (let from = 0; from < count; from += PER_SCRIPT) {
    const to = Math.min(from + PER_SCRIPT, count) - 1;
    const offset = name === 'plain-' ? 0 : 100_000_000;
    const unusedMs = name === 'plain-' ? UNUSED_MS : 0;
    await client.eval(COPY_KEYS, names.length, ...names, from + offset, to + offset, escaped, name, unusedMs);
  }
}

async function usedBytes(client: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
}

async function measure(gateway: TestGateway, note: (line: string) => void) {
  const { rawKey } = await gateway.createKey({ name: 'probe' }, { daily: 5 });
  for (let nth = 0; nth < 50; nth += 1) await ask(gateway, rawKey);
  const took: number[] = [];
  for (let nth = 0; nth < REQUESTS; nth += 1) {
    const started = performance.now();
    await ask(gateway, rawKey);
    took.push(performance.now() - started);
  }
  took.sort((one, other) => one - other);
  const started = performance.now();
  const metricsBytes = (await gateway.metrics()).length;
  const metricsMs = performance.now() - started;
  const commandMs: Record<string, number> = {};
  for (const command of COMMANDS)
    note(
      `${command}: ${String(Math.round((commandMs[command] = await timed(gateway.redis, command.split(' ')))))} ms`,
    );
  return {
    requestMs: { p50: took[REQUESTS / 2] ?? 0, p99: took[(REQUESTS * 99) / 100] ?? 0 },
    metricsMs,
    metricsBytes,
    commandMs,
  };
}

async function timed({ addr }: TestRedis, args: readonly string[]): Promise<number> {
  const started = performance.now();
  const { code, stderr } = await runProgram(await gatewayProgram(), args, {
    cwd: '/',
    env: { REDIS_ADDR: addr },
  });
  if (code !== 0) throw new Error(`gateway ${args.join(' ')}: ${stderr}`);
  return performance.now() - started;
}
