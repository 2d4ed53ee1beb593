import { expect, it } from 'vitest';
import { defaultConfig } from '../../support/default-config.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { describedRedis } from '../../../src/redis/client.ts';

it.each<[NonNullable<ConfigInput['redis']>, string]>([
  [{ addr: 'redis:6379', password: 'hidden' }, 'redis:6379'],
  [
    { sentinel: { addrs: ['a:26379', 'b:26379'], master_name: 'm', password: 'hidden' } },
    'sentinel a:26379, b:26379',
  ],
  [{ cluster: { addrs: ['a:6379'] } }, 'cluster a:6379'],
])('%j is described as %s', (redis, described) => {
  expect(describedRedis(defaultConfig({ redis }).redis)).toBe(described);
});
