import type { NewKey } from '../../../src/auth/key-fields.ts';
import { createRedisBudgetStore } from '../../../src/checks/budget/redis-store.ts';
import type { Answer, Asked, Seen } from './sidecar.ts';
import type { Bench, See } from './probe.ts';

export interface AskedChat extends Omit<Asked, 'rawKey'> {
  readonly key?: Partial<NewKey>;
  /** USD an hour. */
  readonly hourly?: number;
  /** The user's text; `body` takes precedence. */
  readonly says?: string;
}

/** A whole answer in OpenAI's format. */
export function says(
  content: string,
  usage: object = { prompt_tokens: 1_000, completion_tokens: 1_000 },
): Answer {
  return {
    body: {
      model: 'gpt-4o',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage,
    },
  };
}

export function chat(content: string, more: object = {}): object {
  return { model: 'gpt-4o', messages: [{ role: 'user', content }], ...more };
}

/** Sends a request with a new key. */
export async function asks(bench: Bench, asked: AskedChat): Promise<Seen & { readonly keyHash: string }> {
  const sidecar = await bench.sidecar();
  const { rawKey, keyHash } = await sidecar.newKey(asked.key);
  if (asked.hourly !== undefined) await setHourly(bench, keyHash, asked.hourly);
  return { ...(await sidecar.ask(asChat(asked, rawKey))), keyHash };
}

/** Sends several requests with one key, one after another. */
export async function asksInTurn(
  bench: Bench,
  key: Partial<NewKey>,
  asked: readonly AskedChat[],
): Promise<Seen[]> {
  const sidecar = await bench.sidecar();
  const { rawKey } = await sidecar.newKey(key);
  const seen: Seen[] = [];
  for (const one of asked) seen.push(await sidecar.ask(asChat(one, rawKey)));
  return seen;
}

/** Sends several simultaneous requests with one key. */
export async function asksAtOnce(
  bench: Bench,
  key: Partial<NewKey>,
  asked: readonly AskedChat[],
): Promise<Seen[]> {
  const sidecar = await bench.sidecar();
  const { rawKey } = await sidecar.newKey(key);
  return Promise.all(asked.map((one) => sidecar.ask(asChat(one, rawKey))));
}

function asChat(
  { key: _key, hourly: _hourly, says: words = 'Hello', ...asked }: AskedChat,
  rawKey: string,
): Asked {
  return {
    answer: says('Hello yourself'),
    body: asked.method === 'GET' ? undefined : chat(words),
    ...asked,
    rawKey,
  };
}

async function setHourly({ redis }: Bench, keyHash: string, usd: number): Promise<void> {
  const store = createRedisBudgetStore({
    client: redis.client,
    deadlineMs: 5_000,
    alertPercents: [],
  });
  await store.setLimits(keyHash, { hourly: Math.round(usd * 1e9) });
}

/** Observes the status of one chat, and the type of a refusal. */
export function outcome(asked: AskedChat): See {
  return async (bench) => outcomeOf(await asks(bench, asked));
}

/** Observes the outcomes of several calls of one key. */
export function outcomes(asked: readonly AskedChat[], key: Partial<NewKey> = {}): See {
  return async (bench) => (await asksInTurn(bench, key, asked)).map(outcomeOf);
}

export function outcomeOf({ status, body }: Seen): number | string {
  if (status === 200) return 200;
  const type = /"type":"(\w+)"/.exec(body)?.[1];
  return type === undefined ? status : `${String(status)} ${type}`;
}

/** Observes one header of the answer. */
export function header(name: string, asked: AskedChat = {}): See {
  return async (bench) => (await asks(bench, asked)).headers[name];
}

/** Observes one header of the forwarded request. */
export function sentHeader(name: string, asked: AskedChat = {}): See {
  return async (bench) => (await asks(bench, asked)).upstream?.headers[name];
}

/** Observes the text of the answer as the client gets it. */
export function answerText(asked: AskedChat): See {
  return async (bench) => {
    const { status, body } = await asks(bench, asked);
    return status === 200
      ? (JSON.parse(body) as { choices: { message: { content: string } }[] }).choices[0]?.message.content
      : status;
  };
}

/** Observes the forwarded request, as selected by `pick`. */
export function sent(asked: AskedChat, pick: (body: Record<string, unknown>) => unknown): See {
  return async (bench) => {
    const seen = await asks(bench, asked);
    return seen.upstream === undefined
      ? outcomeOf(seen)
      : pick(JSON.parse(seen.upstream.body) as Record<string, unknown>);
  };
}
