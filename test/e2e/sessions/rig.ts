import { beforeAll, afterAll } from 'vitest';
import { type Budgets, type Client, type AskOptions, cli, startBudgets } from '../budgets/rig.ts';
import type { Reply } from '../../support/http.ts';
import { sessionAnchorKey } from '../../../src/redis/keys.ts';
import { freePort } from '../../support/ports.ts';

/** docs/sessions.md: headers, refusals and limits. */
export const MAX_TOKENS = 400;
export const MOST = 10;

export let rig: Budgets;
/** `session.max_per_key` is 10; `session.required` and shadow mode are on; the telemetry headers are suppressed. */
export let strict: Budgets;

export interface SessionHeaders {
  readonly id?: string | string[];
  readonly steps?: number | string | string[];
  readonly usd?: number | string | string[];
}

export function headersOf({ id, steps, usd }: SessionHeaders): Record<string, string | string[]> {
  const text = (value: number | string | string[]): string | string[] =>
    typeof value === 'number' ? String(value) : value;
  return {
    ...(id === undefined ? {} : { 'x-gateway-session-id': id }),
    ...(steps === undefined ? {} : { 'x-gateway-session-max-steps': text(steps) }),
    ...(usd === undefined ? {} : { 'x-gateway-session-budget': text(usd) }),
  };
}

/** One call of a session. */
export function call(
  client: Client,
  session: SessionHeaders,
  body: Readonly<Record<string, unknown>> = {},
  options: AskOptions = {},
): Promise<Reply> {
  return client.ask(body, { ...options, headers: { ...headersOf(session), ...options.headers } });
}

/** `gateway sessions show`. */
export async function shown(client: Client, sessionId: string) {
  const { code, stdout } = await cli(
    rig.gateway,
    'sessions',
    'show',
    client.keyHash,
    sessionId,
    '--output',
    'json',
  );
  return code === 0 ? (JSON.parse(stdout) as Record<string, unknown>) : undefined;
}

export const anchorOf = (client: Client, sessionId: string): Promise<string | null> =>
  rig.redis.client.get(sessionAnchorKey(client.keyHash, sessionId));
export function useRig(): void {
  beforeAll(async () => {
    const unreachable = await freePort();
    rig = await startBudgets({
      providers: { groq: { base_url: `http://127.0.0.1:${String(unreachable)}` } },
    });
    strict = await startBudgets(
      {
        server: { shadow_mode: true, strip_budget_headers: true },
        session: { max_per_key: MOST, required: true },
      },
      rig,
    );
  });
  afterAll(async () => {
    await strict.close();
    await rig.close();
  });
}
