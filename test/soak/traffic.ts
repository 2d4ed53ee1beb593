import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ERROR_STATUS } from '../../src/errors.ts';
import { joinedTexts } from '../fuzz/stream-reading.ts';
import { send, type Reply } from '../support/http.ts';
import { DIALECTS, type Dialect } from './dialects.ts';
import type { Asked } from './ledger.ts';
import { holdsPlanted, PLANTED, promptOf, type PlanName } from './plan.ts';

export interface Client {
  readonly rawKey: string;
  readonly keyHash: string;
}

export interface TrafficOptions {
  readonly baseUrl: string;
  readonly clients: number;
  readonly random: () => number;
  /** By provider, for those that disconnect or are cut beside the others, and `mcp`. */
  readonly keys: ReadonlyMap<string, Client>;
  /** A key whose budget is spent. */
  readonly poor: Client;
}

/** Sends requests of all kinds until `stop`, and records wrong answers. */
export interface Traffic {
  readonly asked: readonly Asked[];
  /** Answers by kind of request and outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Answers that no client should have received. */
  readonly faults: readonly string[];
  /** Resolves once no request is open; nothing is sent until `resume`. */
  pause(): Promise<void>;
  resume(): void;
  stop(): Promise<void>;
}

const THINK_MS = 60;
const LONGEST_MS = 60_000;
const MAX_FAULTS = 20;
const WORDS = 'table order river paper window garden number letter summer engine market forest bridge'.split(
  ' ',
);

export function startTraffic(options: TrafficOptions): Traffic {
  const { random, clients } = options;
  const asked: Asked[] = [];
  const outcomes = new Map<string, number>();
  const faults: string[] = [];
  let isOver = false;
  let gate = Promise.withResolvers<undefined>();
  gate.resolve(undefined);
  let underWay = 0;
  let id = 0;

  function pick<T>(list: readonly T[]): T {
    return list[Math.floor(random() * list.length)] as T;
  }

  function note(kind: string, reply: Reply, wasLeft: boolean): void {
    const outcome = wasLeft ? 'disconnected' : `${String(reply.status)}${reply.cut ? ', cut off' : ''}`;
    outcomes.set(`${kind}: ${outcome}`, (outcomes.get(`${kind}: ${outcome}`) ?? 0) + 1);
  }

  function fault(text: string): void {
    if (faults.length < MAX_FAULTS) faults.push(text);
  }

  async function ask(kind: string, client: Client, request: Request, dialect?: Dialect): Promise<void> {
    const text = typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
    const leaving = new AbortController();
    const timer = setTimeout(() => leaving.abort(), request.leaveAfterMs ?? LONGEST_MS);
    const sentAt = performance.now();
    const reply = await send(options.baseUrl, {
      path: request.path,
      headers: {
        authorization: `Bearer ${client.rawKey}`,
        'x-gateway-provider-key': 'sk-provider-0123456789',
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        ...request.headers,
      },
      body: text,
      agent,
      signal: leaving.signal,
    });
    clearTimeout(timer);
    const wasLeft = leaving.signal.aborted;
    const isWhole = reply.status === 200 && !reply.cut && !wasLeft && request.isWhole?.(reply.body) !== false;
    asked.push({
      id: request.id ?? 0,
      keyHash: client.keyHash,
      isCall: request.isCall === true,
      bodyBytes: text.length,
      sentAt,
      endedAt: performance.now(),
      isWhole,
      status: wasLeft || reply.cut ? undefined : reply.status,
      refusal: refusalOf(reply),
    });
    note(kind, reply, wasLeft);
    if (request.leaveAfterMs === undefined && wasLeft)
      fault(`${kind}: no answer in ${String(LONGEST_MS)} ms`);
    if (reply.status >= 400 && !reply.cut) checkRefusal(kind, reply);
    const joined =
      dialect === undefined ? '' : joinedTexts(Buffer.from(reply.body), dialect.format).toString();
    if (holdsPlanted(reply.body) || holdsPlanted(joined))
      fault(`${kind}: a piece of the secret reached the client`);
  }

  function checkRefusal(kind: string, { status, headers, body }: Reply): void {
    const type = String(headers['content-type']);
    if (!type.startsWith('application/json') || !isObject(body))
      fault(`${kind}: a refusal that is not JSON: ${String(status)} ${type} ${body.slice(0, 200)}`);
  }

  function keyNamed(name: string): Client {
    const client = options.keys.get(name);
    if (client === undefined) throw new Error(`no key for ${name}`);
    return client;
  }

  function words(): string {
    return Array.from({ length: 12 }, () => pick(WORDS)).join(' ');
  }

  function model(kind: string, plan: PlanName, more: Partial<Request> = {}): Promise<void> {
    const dialect = pick(DIALECTS);
    const isStream = random() < 0.5;
    const isSteady = more.leaveAfterMs === undefined && kind !== 'provider failure';
    const client = keyNamed(isSteady ? dialect.provider : `${dialect.provider}, interrupted`);
    id += 1;
    const { path, body } = dialect.ask(promptOf(id, plan, words()), isStream);
    const request = { id, path, body, isWhole: (text: string) => !text.includes('"error"'), ...more };
    return ask(`${kind}, ${isStream ? 'streamed' : 'whole'}`, client, request, dialect);
  }

  function mcp(text: string): Promise<void> {
    const client = keyNamed('mcp');
    id += 1;
    const params = { name: 'echo', arguments: { text: promptOf(id, 'plain', text) } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    return ask('MCP call', client, { id, path: '/mcp/tools', body, isCall: true });
  }

  function refused(): Promise<void> {
    const client = keyNamed('openai');
    const chat = DIALECTS[0]?.ask('hello', false) ?? { path: '/', body: {} };
    const kinds: readonly (readonly [Client, Request])[] = [
      [{ ...client, rawKey: 'gw-nobody' }, chat],
      [client, { ...chat, body: '{"model":' }],
      [client, { ...chat, path: '/nowhere/v1/chat' }],
      [client, { ...chat, headers: { 'content-type': 'text/plain' } }],
      [
        client,
        { ...chat, body: { ...chat.body, messages: [{ role: 'user', content: `It is ${PLANTED}` }] } },
      ],
      [options.poor, chat],
      [client, { path: '/mcp/unknown', body: { jsonrpc: '2.0', id: 1, method: 'tools/call' } }],
    ];
    return ask('refusal expected', ...pick(kinds));
  }

  function one(): Promise<void> {
    const at = random();
    if (at < 0.1) return mcp(random() < 0.3 ? 'a secret' : words());
    if (at < 0.25) return refused();
    if (at < 0.4)
      return model('early disconnect', pick(['plain', 'slow', 'trickle', 'stall']), {
        leaveAfterMs: 20 + random() * 600,
      });
    if (at < 0.5) return model('with a secret', 'secret');
    if (at < 0.6) return model('provider failure', pick(['reset', 'unanswered', 'error', 'limited']));
    if (at < 0.7) return model('slow', pick(['slow', 'trickle']));
    const session = `session-${String(Math.floor(random() * 40))}`;
    return model('normal', 'plain', random() < 0.5 ? { headers: { 'x-gateway-session-id': session } } : {});
  }

  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  async function loop(): Promise<void> {
    while (!isOver) {
      await gate.promise;
      if (isOver) return;
      underWay += 1;
      await one();
      underWay -= 1;
      await delay(THINK_MS * random() * 2);
    }
  }
  const loops = Array.from({ length: clients }, loop);

  return {
    asked,
    outcomes,
    faults,
    async pause() {
      gate = Promise.withResolvers();
      while (underWay > 0) await delay(20);
    },
    resume: () => gate.resolve(undefined),
    async stop() {
      isOver = true;
      gate.resolve(undefined);
      await Promise.all(loops);
      agent.destroy();
    },
  };
}

interface Request {
  readonly id?: number;
  readonly isCall?: boolean;
  readonly path: string;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly leaveAfterMs?: number;
  /** Whether a body of status 200 is a complete answer. */
  readonly isWhole?: (body: string) => boolean;
}

/** The gateway's own refusals have a type beside the text. */
function refusalOf({ status, body, cut }: Reply): string | undefined {
  if (status < 400 || cut) return undefined;
  const type = /"type":"(\w+)"/.exec(body)?.[1];
  return type !== undefined && type in ERROR_STATUS ? type : undefined;
}

function isObject(json: string): boolean {
  try {
    return typeof JSON.parse(json) === 'object';
  } catch {
    return false;
  }
}
