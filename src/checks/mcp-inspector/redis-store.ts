import * as z from 'zod';
import type { RedisStoreOptions } from '../../redis/client.ts';
import { mcpPinsKey } from '../../redis/keys.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import { MAX_PINNED_TOOLS, type Accepted, type Pin, type PinStore } from './store.ts';

const pinScript = loadScript(new URL('./pin-tools.lua', import.meta.url));
const acceptScript = loadScript(new URL('./accept-pins.lua', import.meta.url));

const pinReply = z.array(z.enum(['new', 'same', 'changed', 'held', 'full']));
const acceptReply = z.array(z.tuple([z.string(), z.string()]));
const flag = z.literal([0, 1]);
const stored = z.templateLiteral([z.string().regex(/^\S+$/), ' ', z.int().min(0)]);

/** All gateways share the pins, which stay until an operator accepts a change. */
export function createRedisPinStore({ client, deadlineMs, now }: RedisStoreOptions): PinStore {
  const within = <T>(work: () => Promise<T>): Promise<T> => withRedisDeadline(deadlineMs, work);
  const at = (): string => (now === undefined ? '' : String(now()));
  return {
    show: (server, tools) =>
      within(async () => {
        const shown = tools.flatMap(({ name, digest }) => [name, digest]);
        const reply = await pinScript.run(client, [mcpPinsKey(server)], [at(), MAX_PINNED_TOOLS, ...shown]);
        return pinReply.length(tools.length).parse(reply);
      }),
    isChanged: (server, tool) =>
      within(async () => flag.parse(await client.hexists(mcpPinsKey(server), `changed:${tool}`)) === 1),
    list: (server) => within(async () => readPins(await client.hgetall(mcpPinsKey(server)))),
    accept: (server, acceptable) =>
      within(async () => {
        const names = acceptable === undefined ? [] : [acceptable.tool];
        const args = [at(), acceptable?.digest ?? '', ...names];
        const accepted = acceptReply.parse(await acceptScript.run(client, [mcpPinsKey(server)], args));
        return accepted
          .map(([tool, digest]): Accepted => ({ tool, digest }))
          .toSorted((a, b) => (a.tool < b.tool ? -1 : 1));
      }),
  };
}

function readPins(fields: Readonly<Record<string, string>>): readonly Pin[] {
  return Object.entries(fields)
    .flatMap(([field, value]): Pin[] => {
      if (!field.startsWith('pin:')) return [];
      const tool = field.slice('pin:'.length);
      const { digest, at: pinnedAt } = readStored(value);
      const changed = fields[`changed:${tool}`];
      if (changed === undefined) return [{ tool, digest, pinnedAt }];
      const { digest: newDigest, at: seenAt } = readStored(changed);
      return [{ tool, digest, pinnedAt, change: { digest: newDigest, seenAt } }];
    })
    .toSorted((a, b) => (a.tool < b.tool ? -1 : 1));
}

function readStored(value: string): { readonly digest: string; readonly at: number } {
  const [digest = '', time = ''] = stored.parse(value).split(' ');
  return { digest, at: Number(time) };
}
