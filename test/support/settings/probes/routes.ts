import type { ConfigInput } from '../../../../src/config/schema.ts';
import { asks, asksInTurn, chat, says, type AskedChat, sent, sentHeader } from '../asking.ts';
import type { Probes, See } from '../probe.ts';

const at = (...rest: string[]): string[] => ['models', 'smart', '0', ...rest];
const CREDENTIALS = {
  one: { provider: 'openai', from: { env: 'PROBE_KEY' } },
  other: { provider: 'openai', from: { env: 'OTHER_PROBE_KEY' } },
  groq: { provider: 'groq', from: { env: 'PROBE_KEY' } },
} as const;
const TARGET = { provider: 'openai', model: 'gpt-4o' } as const;
const withTarget = { credentials: CREDENTIALS, models: { smart: [TARGET] } };
const asksSmart: AskedChat = {
  body: chat('Hello', { model: 'smart' }),
  key: { allowedProviders: ['openai', 'groq'], credentials: ['groq'] },
};

/** Observes how many models serve 24 requests of one session. */
const modelsOfSession: See = async (bench) => {
  const asked = {
    body: chat('Hello', { model: 'smart' }),
    headers: { 'x-gateway-session-id': 'one' },
  };
  const seen = await asksInTurn(
    bench,
    {},
    Array.from({ length: 24 }, () => asked),
  );
  return new Set(seen.map(({ upstream }) => (JSON.parse(upstream?.body ?? '{}') as { model: string }).model))
    .size;
};

/** Observes whether the first of two models gets most of 60 requests. */
const isFirstHeavy: See = async (bench) => {
  const asked = { body: chat('Hello', { model: 'smart' }) };
  const seen = await asksInTurn(
    bench,
    {},
    Array.from({ length: 60 }, () => asked),
  );
  return seen.filter(({ upstream }) => upstream?.body.includes('"gpt-4o"') === true).length > 50;
};

/** A second target, as tried after the first one. */
const SECOND: NonNullable<ConfigInput['models']>[string][number] = {
  provider: 'openai',
  model: 'gpt-4o-mini',
  on: ['5xx'],
};

/** Observes a member of the plan for the first target. */
function planned(member: string): See {
  return async (bench) => {
    const answer = { ...says('Hello'), headers: { 'x-gw-tried': '1:answered:200' } };
    const { upstream } = await asks(bench, { body: chat('Hello', { model: 'smart' }), answer });
    return new URLSearchParams(upstream?.headers['x-gw-plan-1']).get(member);
  };
}

/** Observes after which outcomes of the first target Envoy tries the second one. */
const asksAgain = planned('again');

/** Observes which model is tried first after this many failures of the first one, and some time. */
function modelsAfterFailures(times: number, waitMs = 0): See {
  return async (bench) => {
    const { client } = bench.redis;
    const circuits = await client.keys('gateway:mcp_*target*');
    if (circuits.length > 0) await client.del(...circuits);
    const sidecar = await bench.sidecar();
    const { rawKey } = await sidecar.newKey();
    async function ask(record: string): Promise<string | undefined> {
      const answer = { ...says('Hello'), headers: { 'x-gw-tried': record } };
      const { upstream } = await sidecar.ask({ rawKey, body: chat('Hello', { model: 'smart' }), answer });
      const plan = new URLSearchParams(upstream?.headers['x-gw-plan-1']).get('splice') ?? upstream?.body;
      return /gpt-4o(?:-mini)?/.exec(plan ?? '')?.[0];
    }
    for (let nth = 0; nth < times; nth++) await ask('1:5xx:500,2:answered:200');
    // The results are recorded beside the answers.
    await new Promise((resolve) => setTimeout(resolve, 100 + waitMs));
    return ask('1:answered:200');
  };
}

export const routeProbes: Probes = {
  'models.*[].provider': {
    at: at('provider'),
    with: withTarget,
    values: ['openai', 'groq'],
    see: sentHeader(':authority', asksSmart),
    expected: ['api.openai.com', 'api.groq.com'],
  },
  'models.*[].model': {
    at: at('model'),
    with: withTarget,
    values: ['gpt-4o', 'gpt-4o-mini'],
    see: sent(asksSmart, ({ model }) => model),
    expected: ['gpt-4o', 'gpt-4o-mini'],
  },
  'models.*[].credential': {
    at: at('credential'),
    with: withTarget,
    values: ['one', 'other'],
    see: sentHeader('authorization', asksSmart),
    expected: ['Bearer sk-probe', 'Bearer sk-other-probe'],
  },
  'models.*[].weight': {
    at: at('weight'),
    with: { models: { smart: [TARGET, { ...TARGET, model: 'gpt-4o-mini' }] } },
    values: [1, 1_000],
    see: isFirstHeavy,
    expected: [false, true],
  },
  'models.*[].on': {
    at: ['models', 'smart', '1', 'on'],
    with: { models: { smart: [TARGET, SECOND] } },
    values: [['connect', 429], ['5xx']],
    see: asksAgain,
    expected: ['connect,429', '5xx'],
  },
  'models.*[].timeout': {
    at: ['models', 'smart', '0', 'timeout'],
    with: { models: { smart: [TARGET, SECOND] } },
    values: ['0', '2s'],
    see: planned('within'),
    expected: [null, '2000'],
  },
  'models.*[].retry_uncertain': {
    at: ['models', 'smart', '1', 'retry_uncertain'],
    with: { models: { smart: [TARGET, SECOND] } },
    values: [false, true],
    see: asksAgain,
    expected: ['5xx', '5xx,timeout,lost,unsure'],
  },
  'routes.circuit_breaker.enabled': {
    with: { models: { smart: [TARGET, SECOND] } },
    values: [true, false],
    see: modelsAfterFailures(5),
    expected: ['gpt-4o-mini', 'gpt-4o'],
  },
  'routes.circuit_breaker.threshold': {
    with: { models: { smart: [TARGET, SECOND] } },
    values: [2, 9],
    see: modelsAfterFailures(3),
    expected: ['gpt-4o-mini', 'gpt-4o'],
  },
  'routes.circuit_breaker.window_seconds': {
    with: { models: { smart: [TARGET, SECOND] } },
    values: [60, 1],
    see: modelsAfterFailures(5, 1_100),
    expected: ['gpt-4o-mini', 'gpt-4o'],
  },
  'routes.sticky': {
    with: { models: { smart: [TARGET, { ...TARGET, model: 'gpt-4o-mini' }] } },
    values: [false, true],
    see: modelsOfSession,
    expected: [2, 1],
  },
};
