import type { BudgetLimits } from '../../../../src/budget-windows.ts';
import { randomUUID } from 'node:crypto';
import { createAnswerStream } from '../../../../src/answers/answer-stream.ts';
import { newAnswer } from '../../../../src/answers/new-answer.ts';
import { readAnswer, readFacts } from '../../../../src/answers/read-answer.ts';
import type { KeyRecord } from '../../../../src/auth/key-record.ts';
import { createChecks } from '../../../../src/composition/create.ts';
import type { ConfigInput } from '../../../../src/config/schema.ts';
import { applyEdits } from '../../../../src/json/edit.ts';
import { PASS, type Check, type Denial, type StreamRewriter } from '../../../../src/pipeline/check.ts';
import type { Answered, Outcome, Parsed } from '../../../../src/pipeline/exchange.ts';
import { newFacts } from '../../../../src/pipeline/facts.ts';
import { createRunner, type Run } from '../../../../src/pipeline/run.ts';
import { createCardSet } from '../../../../src/policy/cards/card-set.ts';
import { policySetOf } from '../../../../src/policy/policy-set.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { opaque } from '../../../../src/providers/dialects/opaque.ts';
import { connectRedis, waitUntilReady, type RedisClient } from '../../../../src/redis/client.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { createAuditLog, createLogger } from '../../../../src/telemetry/logger.ts';
import { createMetrics } from '../../../../src/telemetry/metrics.ts';
import { defaultConfig } from '../../../support/default-config.ts';
import { NO_RISK, parsed } from '../../../support/exchange.ts';
import { mcpExchange } from '../../../support/mcp-exchange.ts';

/** The checks in their order; three share one name. */
export const LABELS = [
  ...['rate-limit', 'mcp', 'key-access', 'hosted-tools', 'stored-objects', 'remote-content', 'session'],
  ...['normalization', 'mcp-inspector', 'mcp-tools', 'dlp', 'dlp-held-credential', 'loop', 'drift', 'policy'],
  ...['policy-mask', 'mcp-breaker', 'budget', 'policy-state', 'policy-mask-again', 'answer-marks'],
] as const;

const CARD = `metadata: { name: each }
fsm:
  initial_state: INIT
  transitions: [{ from: INIT, to: SEEN, trigger: { type: llm_call, matches: arming } }]
rules:
  - { name: no-xylophone, conditions: [{ field: prompt_text, op: contains, value: xylophone }], action: deny }
  - { name: robin, conditions: [{ field: prompt_text, op: contains, value: Robin }], action: mask }
  - name: falcon
    conditions:
      - { field: session.state, op: equals, value: SEEN }
      - { field: prompt_text, op: contains, value: Falcon }
    action: mask
  - name: remembered
    conditions:
      - { field: session_sequence, op: contains_matching_trace, value: { type: llm_response, content_regex: remember } }
    action: deny
`;

const EVERYTHING_ON = {
  rate_limit: { enabled: true, requests_per_minute: 6 },
  server: { dlp: { enabled: true, requests: 'mask', action: 'mask' } },
  session: { drift_detection: { enabled: true, min_turns: 2 } },
  loop_detection: { action: 'block', fingerprint: { threshold: 2 } },
  pricing: { overrides: { m: { input: 1, output: 1 } } },
  credentials: { main: { provider: 'openai', from: { env: 'OPENAI_API_KEY' } } },
  mcp: {
    enabled: true,
    servers: [{ name: 'files', url: 'http://127.0.0.1:1/mcp', pin: 'block' }],
    circuit_breaker: { threshold: 1 },
  },
} as const satisfies ConfigInput;

const LIST_ENDPOINT: Parsed['endpoint'] = { operation: 'unknown', dialect: opaque, openSegments: [] };

const NOWHERE = { write: (): void => undefined };

export interface Asked {
  readonly run: Run;
  readonly exchange: Parsed;
  readonly denial: Denial | undefined;
}

export interface Request {
  readonly key?: Partial<KeyRecord>;
  readonly session?: string;
  readonly limits?: BudgetLimits;
}

export type Rig = Awaited<ReturnType<typeof startRig>>;

/** All checks as a gateway creates them, on a Redis; records each hook's verdict: `dlp requestBody rewrite`. */
export async function startRig(redisAddr: string, more: ConfigInput = {}) {
  const config = defaultConfig({ ...EVERYTHING_ON, ...more, redis: { addr: redisAddr, ...more.redis } });
  const redis: RedisClient = connectRedis(config.redis, { name: 'each-check' });
  await waitUntilReady(redis, 10_000);
  const set = policySetOf('d', createCardSet([{ name: 'c', text: CARD, isPreset: false }]), undefined);
  const checks = await createChecks({
    config,
    redis,
    log: createLogger('silent', {}, NOWHERE),
    auditLog: createAuditLog({}, NOWHERE),
    metrics: createMetrics(),
    policies: { current: () => set, close: () => set.close() },
    approvals: undefined,
    alerts: undefined,
  });
  const said = new Set<string>();
  const failures: string[] = [];
  const labelled = checks.inOrder.map((check, index) => noting(check, LABELS[index] ?? '', said));
  const newRun = createRunner({
    checks: labelled,
    shadowMode: false,
    observer: {
      verdict: () => undefined,
      enforceFailed: (_exchange, check, cause) => failures.push(`${check}: ${String(cause)}`),
      endFailed: (_exchange, check, cause) => failures.push(`${check}: ${String(cause)}`),
    },
    newBatch: checks.newBatch,
  });

  async function ask(base: Parsed, { key, session, limits = {} }: Request = {}): Promise<Asked> {
    const headers = new Map(base.headers);
    if (session !== undefined) headers.set('x-gateway-session-id', session);
    const exchange: Parsed = {
      ...base,
      headers,
      key: { ...base.key, keyHash: `sha256:${randomUUID()}`, ...key },
      budget: { limits },
      facts: newFacts(NO_RISK),
    };
    const run = newRun();
    run.prepare({ keyHash: exchange.key.keyHash, ...(base.mcp === undefined && { sessionId: session }) });
    const denial =
      (await run.admit(exchange)) ??
      (await run.requestHeaders(exchange)) ??
      (await run.requestBody(exchange));
    return { run, exchange, denial };
  }

  return {
    said,
    failures,
    redis,
    inOrder: checks.inOrder,
    chat: (content: unknown, request?: Request, body: JsonObject = {}) =>
      ask(
        parsed({ body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content }], ...body } }),
        request,
      ),
    /** A GET of a list that the gateway has no dialect for. */
    list: (request?: Request) =>
      ask(
        {
          ...parsed({ body: { model: 'm', messages: [] } }),
          method: 'GET',
          endpoint: LIST_ENDPOINT,
          json: {},
        },
        request,
      ),
    mcp: (body: JsonObject, request?: Request) => ask(mcpExchange({ body }), request),
    /** A GET of a server's own stream, some seconds ago. */
    listen: (request?: Request) => ask({ ...mcpExchange(), startedAt: performance.now() - 5_000 }, request),
    async whole({ run, exchange }: Asked, body: JsonObject, status = 200) {
      const head = headOf(exchange, 'whole', status);
      const read = await readFacts(await readAnswer(head, Buffer.from(JSON.stringify(body))));
      const denial = await run.response(read);
      const { whole } = read.answer;
      return { denial, body: whole === undefined ? '' : applyEdits(whole.body, whole.edits).toString() };
    },
    async stream({ run, exchange }: Asked, events: readonly JsonObject[]): Promise<string> {
      const answer = headOf(exchange, 'stream', 200);
      const denial = await run.response(answer);
      if (denial !== undefined) return denial.message;
      const reader = exchange.endpoint.dialect.stream(exchange.request);
      if (reader === undefined) throw new Error('the dialect does not stream');
      const stream = createAnswerStream({
        answer: answer.answer,
        format: sse,
        reader,
        rewriters: run.rewriters(answer),
      });
      const out: Buffer[] = [];
      for (const event of events)
        out.push((await stream.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`))).bytes);
      out.push((await stream.end()).bytes);
      return Buffer.concat(out).toString();
    },
    end: ({ run, exchange }: Asked, kind: Outcome['kind'] = 'complete') => run.end(exchange, { kind }),
    async close() {
      await checks.close();
      redis.disconnect();
    },
  };
}

function headOf(exchange: Parsed, form: Answered['form'], status: number): Answered {
  const type = form === 'stream' ? 'text/event-stream' : 'application/json';
  const answerHeaders = new Map([['content-type', type]]);
  return { ...exchange, origin: 'provider', status, answerHeaders, form, answer: newAnswer() };
}

const HOOKS: ReadonlySet<PropertyKey> = new Set(['admit', 'requestHeaders', 'requestBody', 'response']);

/** The check with hooks whose verdicts are recorded. */
function noting(check: Check, label: string, said: Set<string>): Check {
  return new Proxy(check, {
    get(target, name) {
      const hook: unknown = Reflect.get(target, name);
      if (typeof hook !== 'function') return hook;
      if (name === 'stream') {
        return (...args: unknown[]): unknown =>
          notingRewriter(Reflect.apply(hook, target, args) as StreamRewriter | undefined, label, said);
      }
      if (!HOOKS.has(name)) return hook.bind(target) as unknown;
      return async (...args: unknown[]): Promise<unknown> => {
        const verdict = ((await Reflect.apply(hook, target, args)) ?? PASS) as {
          readonly kind: string;
          readonly verdict?: Promise<{ readonly kind: string }>;
        };
        said.add(`${label} ${String(name)} ${verdict.kind}`);
        void verdict.verdict?.then(
          ({ kind }) => said.add(`${label} ${String(name)} ${kind}`),
          () => undefined,
        );
        return verdict;
      };
    },
  });
}

function notingRewriter(
  rewriter: StreamRewriter | undefined,
  label: string,
  said: Set<string>,
): StreamRewriter | undefined {
  const { event, comment } = rewriter ?? {};
  if (rewriter === undefined) return undefined;
  return {
    ...rewriter,
    ...(event !== undefined && {
      async event(of) {
        const action = await event.call(rewriter, of);
        said.add(`${label} event ${action.kind}`);
        return action;
      },
    }),
    ...(comment !== undefined && {
      async comment() {
        const told = await comment.call(rewriter);
        if (told !== undefined) said.add(`${label} comment told`);
        return told;
      },
    }),
  };
}
