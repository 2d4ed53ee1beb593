import type { TestRedis } from '../../../../support/redis.ts';
import type { RedisClient } from '../../../../../src/redis/client.ts';
import type { JsonObject } from '../../../../../src/json/is-object.ts';
import type { Outcome, Parsed } from '../../../../../src/pipeline/exchange.ts';
import { newKeyHash, useRedis } from '../../budget/support.ts';
import { createRedisSessionStore } from '../../../../../src/checks/session/redis-store.ts';
import { DAY_MS } from '../../../../contracts/session-rig.ts';
import type { SessionStore } from '../../../../../src/checks/session/store.ts';
import { createSessionCheck, type SessionState } from '../../../../../src/checks/session/check.ts';
import { toolCall, mcpExchange } from '../../../../support/mcp-exchange.ts';
import { answered } from '../../../../support/exchange.ts';

export let redis: TestRedis;
let client: RedisClient;

export const SESSION = 'x-gateway-session-id';
export const MCP_SESSION = 'mcp-session-id';

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject | undefined;
  readonly method?: string;
  /** Status of the server's answer; undefined if there was none. */
  readonly status?: number | undefined;
  readonly form?: 'whole' | 'stream';
  readonly outcome?: Outcome;
}

/** One key and its session check; `trips` counts round trips to Redis. */
export function rig(options: { required?: boolean; maxPerKey?: number } = {}) {
  const keyHash = newKeyHash();
  const own = createRedisSessionStore({
    client,
    deadlineMs: 2_500,
    ttlMs: DAY_MS,
    maxPerKey: options.maxPerKey ?? 0,
  });
  const trips: string[] = [];
  const counted = new Proxy(own, {
    get(target, name: keyof SessionStore) {
      trips.push(name);
      return target[name];
    },
  });
  const { check } = createSessionCheck({
    store: counted,
    required: options.required ?? false,
    maskSecrets: (text) => text,
    onFailure: () => undefined,
  });

  async function begin(exchange: Parsed) {
    const state = check.begin?.() as SessionState;
    const early = await check.requestHeaders?.(exchange, state);
    if (early?.kind !== 'pass') return { state, verdict: early };
    check.prepare?.(exchange, state);
    return { state, verdict: await check.requestBody?.(exchange, state) };
  }

  async function send(sent: Sent) {
    const { headers = { [SESSION]: 'one' }, method } = sent;
    const body = 'body' in sent ? sent.body : toolCall('read_file');
    const exchange = mcpExchange({ body, headers, key: { keyHash }, ...(method && { method }) });
    const { state, verdict } = await begin(exchange);
    if (verdict?.kind === 'deny') {
      await check.end?.(exchange, { kind: 'not_forwarded' }, state);
      return { exchange, verdict };
    }
    const status = 'status' in sent ? sent.status : 200;
    if (status === undefined) {
      await check.end?.(exchange, sent.outcome ?? { kind: 'lost' }, state);
      return { exchange, verdict };
    }
    const answer = answered(exchange, { status, form: sent.form ?? 'whole' });
    const late = await check.response?.(answer, state);
    await check.end?.(answer, sent.outcome ?? { kind: 'complete' }, state);
    return { exchange, verdict: late };
  }
  const stored = (sessionId = 'one') => own.peek({ keyHash, sessionId });
  return { keyHash, own, trips, check, begin, send, stored };
}

export const tool = (name: string): Pick<Sent, 'body'> => ({ body: toolCall(name) });
export function useRig(): void {
  useRedis((started) => ({ redis, client } = started));
}
