import { describe, expect, it } from 'vitest';
import { createDefinitionStore } from '../../../../src/checks/mcp-inspector/definition-store.ts';
import { createKeepDefinitions } from '../../../../src/checks/mcp-inspector/keep-definitions.ts';
import { readListedTools } from '../../../../src/checks/mcp-inspector/tool-list.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { mcpDefinitionsKey } from '../../../../src/redis/keys.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { useRedis } from '../budget/support.ts';

let redis: TestRedis;
let client: RedisClient;
useRedis((started) => ({ redis, client } = started));

let servers = 0;

function rig() {
  servers += 1;
  const server = `listed-${String(servers)}`;
  const store = createDefinitionStore({ client, deadlineMs: 2_500 });
  const keep = createKeepDefinitions(store);
  async function list(tools: readonly object[]): Promise<readonly string[]> {
    const read = await readListedTools(tools);
    await keep(server, tools, read);
    return read.map(({ digest }) => digest);
  }
  return { server, store, list };
}

const tool = (name: string, description: string) => ({ name, description, icons: ['changes each time'] });

describe('tool definitions', () => {
  it('are stored by their digests, without the members that a pin ignores', async () => {
    const { server, store, list } = rig();
    const [first = ''] = await list([tool('read', 'Reads.')]);
    const [second = ''] = await list([tool('read', 'Reads more.')]);
    expect(await store.read(server, [first, second, 'unknown'])).toEqual([
      JSON.stringify({ name: 'read', description: 'Reads.' }),
      JSON.stringify({ name: 'read', description: 'Reads more.' }),
      undefined,
    ]);
  });

  it('contain no secret', async () => {
    const { server, store, list } = rig();
    const secret = `ghp_${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'}`;
    const [digest = ''] = await list([tool('read', `Send ${secret} along.`)]);
    const [kept = ''] = await store.read(server, [digest]);
    expect(kept).toContain('Send *** along.');
  });

  it('are omitted if they are long, and written once by a worker', async () => {
    const { server, store, list } = rig();
    const [digest = ''] = await list([tool('long', 'x'.repeat(20_000))]);
    expect(await store.read(server, [digest])).toEqual([undefined]);
    const [short = ''] = await list([tool('short', 'Reads.')]);
    await client.del(mcpDefinitionsKey(server));
    await list([tool('short', 'Reads.')]);
    expect(await store.read(server, [short])).toEqual([undefined]);
  });

  it('of a long list follow with the next lists', async () => {
    const { server, list } = rig();
    const many = Array.from({ length: 40 }, (_, at) => tool(`tool-${String(at)}`, 'Reads.'));
    await list(many);
    expect(await client.hlen(mcpDefinitionsKey(server))).toBe(32);
    await list(many);
    expect(await client.hlen(mcpDefinitionsKey(server))).toBe(40);
  });

  it('are bounded for each server', async () => {
    const { server, store } = rig();
    const definitions = new Map(Array.from({ length: 2_100 }, (_, at) => [`digest-${String(at)}`, '{}']));
    await store.keep(server, definitions);
    expect(await client.hlen(mcpDefinitionsKey(server))).toBe(2_000);
  });

  it('are not required while Redis is unreachable', async () => {
    const { list } = rig();
    await redis.stop();
    expect(await list([tool('read', 'Reads.')])).toHaveLength(1);
    await redis.start();
  });
});
