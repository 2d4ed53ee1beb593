import { createKeyStore } from '../../../src/auth/key-store.ts';
import { createRedisBudgetStore } from '../../../src/checks/budget/redis-store.ts';
import { KEY_INDEX, KEY_NAMES, KEYS_BY_CREATION } from '../../../src/redis/keys.ts';
import type { TestRedis } from '../redis.ts';

const PER_SCRIPT = 2_000;

/** Copies all Redis data of one key to others; Redis does it itself, 50,000 in a second or two. */
const COPY_KEYS = `
local model = ARGV[3]
for nth = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  local hash = 'sha256:' .. redis.sha1hex(nth) .. string.sub(redis.sha1hex(nth .. 'x'), 1, 24)
  for _, key in ipairs(KEYS) do
    redis.call('COPY', key, (string.gsub(key, model, hash)))
  end
  local record, name = 'gateway:key:' .. hash, 'key-' .. nth
  redis.call('HDEL', record, 'raw:' .. model)
  redis.call('HSET', record, 'key_hash', hash, 'raw:' .. hash, '', 'name', name, 'owner', 'team-' .. nth % 100)
  redis.call('ZADD', '${KEY_INDEX}', 0, hash)
  redis.call('ZADD', '${KEYS_BY_CREATION}', redis.call('HGET', record, 'created_at'), hash)
  redis.call('HSET', '${KEY_NAMES}', name, hash)
end`;

/** Creates keys `key-0` and so on, for a hundred owners `team-0` and so on, with a budget each, beside one key `model`. */
export async function makeManyKeys({ client }: TestRedis, count: number): Promise<void> {
  const { record } = await createKeyStore(client).create({
    name: 'model',
    provider: 'openai',
    owner: 'model',
  });
  const budgets = createRedisBudgetStore({ client, deadlineMs: 5_000, alertPercents: [] });
  await budgets.setLimits(record.keyHash, { daily: 5e9, monthly: 50e9 });
  const keys = await client.keys(`*${record.keyHash}*`);
  for (let at = 0; at < count; at += PER_SCRIPT) {
    const last = Math.min(at + PER_SCRIPT, count) - 1;
    await client.eval(COPY_KEYS, keys.length, ...keys, String(at), String(last), record.keyHash);
  }
}
