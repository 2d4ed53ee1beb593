import { randomUUID } from 'node:crypto';
import { createChecks } from '../../../src/composition/create.ts';
import { defaultConfig } from '../default-config.ts';
import type { Config } from '../../../src/config/schema.ts';
import { createAdmission } from '../../../src/extproc/admission/admission.ts';
import { createPlaces } from '../../../src/extproc/places.ts';
import type { EdgeServices } from '../../../src/extproc/services.ts';
import type { RpcCall, CallListener } from '../../../src/extproc/transport/call.ts';
import {
  processingRequest,
  type HeaderList,
  type ProcessingRequest,
  type ProcessingResponse,
} from '../../../src/extproc/wire/messages.ts';
import { serveStream } from '../../../src/extproc/stream.ts';
import type { BudgetLimits } from '../../../src/pipeline/exchange.ts';
import { newFacts } from '../../../src/pipeline/facts.ts';
import { createRunner } from '../../../src/pipeline/run.ts';
import { createCardSet } from '../../../src/policy/cards/card-set.ts';
import type { LivePolicies } from '../../../src/policy/live-policies.ts';
import { policySetOf } from '../../../src/policy/policy-set.ts';
import type { ProviderName } from '../../../src/providers/provider.ts';
import { connectRedis, waitUntilReady } from '../../../src/redis/client.ts';
import { createRoute } from '../../../src/routing/route.ts';
import { configuredUpstreams } from '../../../src/routing/upstreams.ts';
import { createAuditLog, createLogger } from '../../../src/telemetry/logger.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { NO_RISK } from '../exchange.ts';
import { watchTurns } from './turn-watch.ts';

/** One exchange with the gateway: what a client sends, and what comes back from upstream. */
export interface SweptExchange {
  /** As the client writes it, with the provider or `/mcp/<server>` in front. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Absent where only the request is looked at. */
  readonly answer?: SweptAnswer;
  /** Of the key. */
  readonly limits?: BudgetLimits;
}

export interface SweptAnswer {
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** In pieces of this many bytes, as it is streamed; whole where absent. */
  readonly chunkBytes?: number;
}

export interface Swept {
  /** The longest turn of the event loop, in milliseconds of this thread's CPU. */
  readonly longestTurnMs: number;
  /** Where it ended: `passed`, or the status of the refusal, or `failed closed`. */
  readonly end: string;
}

/** The edge of one worker as `serve` composes it, without gRPC: every check is on, and Redis is real. */
export interface SweepEdge {
  sweep(exchange: SweptExchange): Promise<Swept>;
  close(): Promise<void>;
}

/** Names of the MCP servers that the edge knows. */
export const PROXY_KEY = `gw-${'a'.repeat(43)}`;
export const MCP_SERVER = 'files';

const NOWHERE = { write: (): void => undefined };

/** @param maskedBy who masks what is found in requests and answers: DLP, or mask rules of a policy card */
export async function createSweepEdge(
  redisAddr: string,
  maskedBy: 'dlp' | 'policies' = 'dlp',
): Promise<SweepEdge> {
  const config = everythingOn(redisAddr, maskedBy === 'dlp');
  const log = createLogger('error', {}, NOWHERE);
  const auditLog = createAuditLog({}, NOWHERE);
  const metrics = createMetrics();
  const redis = connectRedis(config.redis, { name: 'turn-sweep' });
  await waitUntilReady(redis, 10_000);
  const checks = await createChecks({
    policies: maskedBy === 'dlp' ? undefined : maskingPolicies(),
    approvals: undefined,
    alerts: undefined,
    config,
    redis,
    log,
    auditLog,
    metrics,
  });
  const nothing = (): void => undefined;
  const failures: unknown[] = [];
  const observer = {
    verdict: nothing,
    enforceFailed: nothing,
    endFailed: nothing,
    finished: nothing,
    failed: (_requestId: string, cause: unknown) => failures.push(cause),
  };
  const services: Omit<EdgeServices, 'authenticate'> = {
    providerCredentials: {
      choose: (_key, _provider, providerKey) => ({ providerKey }),
      answered: () => undefined,
    },
    knowsAnyKey: () => Promise.resolve(false),
    admission: createAdmission({ limitMs: 60_000, onShed: () => undefined }),
    places: createPlaces({ maxPerKey: 1_000, maxPerAddress: 1_000, maxAwaitingBody: 1_000 }),
    route: createRoute(config, configuredUpstreams(config)),
    newRun: createRunner({ checks: checks.inOrder, shadowMode: false, observer, newBatch: checks.newBatch }),
    settings: {
      upstreamTimeoutMs: 600_000,
      stripTelemetry: false,
      errorFormat: 'gateway',
      refusalDetails: 'full',
      allowedOrigins: [],
    },
    observer,
    takeAnonymousLine: () => true,
  };
  const turns = watchTurns();
  return {
    async sweep(exchange) {
      const messages = messagesOf(exchange);
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
      turns.longestMs();
      const end = await served({ ...services, authenticate: identityFor(exchange) }, messages);
      await new Promise((resolve) => setImmediate(resolve));
      const unexpected = failures.splice(0).at(-1);
      if (unexpected !== undefined) throw new Error('the edge failed', { cause: unexpected });
      return { longestTurnMs: turns.longestMs(), end };
    },
    async close() {
      turns.stop();
      await checks.close();
      redis.disconnect();
    },
  };
}

const MASKING_CARD = `metadata: { name: masking }
rules:
  - name: addresses
    conditions: [{ field: prompt_text, op: detects, value: email }]
    action: mask
  - name: cards
    conditions: [{ field: prompt_text, op: detects, value: card }]
    action: mask
  - name: secrets
    conditions: [{ field: prompt_text, op: detects, value: secrets }]
    action: mask
  - name: word
    conditions: [{ field: prompt_text, op: contains, value: ignore }]
    action: mask
  - name: numbers
    conditions: [{ field: prompt_text, op: matches_regex, value: 'a[0-9]+' }]
    action: mask
`;

function maskingPolicies(): LivePolicies {
  const cards = createCardSet([{ name: 'masking.yaml', text: MASKING_CARD, isPreset: false }]);
  const set = policySetOf('sha256:masking', cards, undefined);
  return { current: () => set, close: () => set.close() };
}

function everythingOn(redisAddr: string, dlpMasks: boolean): Config {
  const config = defaultConfig();
  const { server, session, loop_detection: loop, mcp } = config;
  return {
    ...config,
    redis: { ...config.redis, addr: redisAddr },
    providers: {
      ...config.providers,
      azure: { base_url: 'https://azure.test', deployments: {} },
      vllm: { base_url: 'https://vllm.test' },
    },
    server: {
      ...server,
      dlp: { ...server.dlp, enabled: dlpMasks, scan_network: true, requests: 'mask', action: 'mask' },
    },
    session: {
      ...session,
      required: true,
      drift_detection: { ...session.drift_detection, enabled: true, min_turns: 1 },
    },
    loop_detection: {
      ...loop,
      fingerprint: { ...loop.fingerprint, defeat_padding: true },
      stall: { ...loop.stall, min_hamming_distance: 3 },
    },
    mcp: {
      ...mcp,
      enabled: true,
      max_request_size: server.max_payload_bytes,
      servers: [
        {
          name: MCP_SERVER,
          url: 'https://mcp.test/mcp',
          headers: { authorization: 'Bearer the-server-s-own-credential-1234567890' },
          public: [],
          suppress: [],
          tool_costs: {},
          pin: 'block',
        },
      ],
    },
  } as Config;
}

/** A key of its own for every exchange, so that none is judged by what came before. */
function identityFor({ path, limits = {} }: SweptExchange): EdgeServices['authenticate'] {
  const keyHash = `sha256:${randomUUID()}`;
  const [, first] = path.split('/');
  const provider = (first === 'mcp' ? 'openai' : first) as ProviderName;
  const key = { keyHash, name: 'sweep', provider, tags: {}, createdAt: 0 };
  return () => Promise.resolve({ key, rawKeyHash: keyHash, budgetLimits: limits, facts: newFacts(NO_RISK) });
}

const ATTRIBUTES = new Map([
  ['response.code_details', 'via_upstream'],
  ['source.address', '127.0.0.1:1'],
]);

function messagesOf({ path, headers = {}, body, answer }: SweptExchange): ProcessingRequest[] {
  const request: ProcessingRequest[] = [
    processingRequest('request_headers', {
      headers: headersOf({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/json',
        'x-request-id': randomUUID(),
        authorization: `Bearer ${PROXY_KEY}`,
        'x-gateway-provider-key': 'sk-sweep',
        'x-gateway-session-id': randomUUID(),
        ...headers,
      }),
      attributes: ATTRIBUTES,
    }),
    processingRequest('request_body', { body, endOfStream: true }),
  ];
  if (answer === undefined) return request;
  return [
    ...request,
    processingRequest('response_headers', {
      headers: headersOf({
        ':status': '200',
        'content-type': answer.contentType,
        ...answer.headers,
      }),
      attributes: ATTRIBUTES,
    }),
    ...chunksOf(answer),
  ];
}

function chunksOf({ body, chunkBytes = body.length }: SweptAnswer): ProcessingRequest[] {
  const chunks: ProcessingRequest[] = [];
  for (let from = 0; from < body.length; from += chunkBytes) {
    const chunk = body.subarray(from, from + chunkBytes);
    const isLast = from + chunkBytes >= body.length;
    chunks.push(processingRequest('response_body', { body: chunk, endOfStream: isLast }));
  }
  return chunks;
}

function headersOf(headers: Readonly<Record<string, string>>): HeaderList {
  return Object.entries(headers);
}

/** Sends the messages one after the other, each once the one before was answered, as Envoy does. */
async function served(services: EdgeServices, messages: readonly ProcessingRequest[]): Promise<string> {
  const call = new QuietCall();
  const closed = new Promise<void>((resolve) => {
    call.listener = serveStream(call, services, resolve);
  });
  let end = 'passed';
  for (const message of messages) {
    const reply = await call.ask(message);
    if (reply === undefined) end = 'failed closed';
    else if (reply.immediate_response !== undefined) {
      const error = /"type":"(\w+)"/.exec(reply.immediate_response.body.toString())?.[1] ?? '';
      end = `${String(reply.immediate_response.status)} ${error}`;
    }
    if (end !== 'passed') break;
  }
  call.listener?.ended();
  await closed;
  return end;
}

/** Stands in for a gRPC call: whatever it is given is taken at once. */
class QuietCall implements RpcCall {
  listener: CallListener | undefined;
  #answered: (reply: ProcessingResponse | undefined) => void = () => undefined;

  /** Undefined where it failed closed. */
  ask(message: ProcessingRequest): Promise<ProcessingResponse | undefined> {
    return new Promise((resolve) => {
      this.#answered = resolve;
      setImmediate(() => this.listener?.message(message));
    });
  }

  write(reply: ProcessingResponse): boolean {
    this.#answered(reply);
    return true;
  }

  fail(): void {
    this.#answered(undefined);
    this.listener?.closed();
  }

  pause(): void {
    // Nothing comes unasked.
  }

  resume(): void {
    // Nothing was held.
  }

  end(): void {
    // Nobody reads on.
  }
}
