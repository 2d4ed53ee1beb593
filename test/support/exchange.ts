import type { BudgetLimits } from '../../src/budget-windows.ts';
import { randomUUID } from 'node:crypto';
import { parseStrict } from '../../src/json/strict-parse.ts';
import type { Answered, Parsed } from '../../src/pipeline/exchange.ts';
import { newFacts, type Facts, type SessionFacts } from '../../src/pipeline/facts.ts';
import type { Obfuscation } from '../../src/normalize/normalize.ts';
import { createBillingReader } from '../../src/providers/billing-details.ts';
import { newAnswer } from '../../src/answers/new-answer.ts';
import type { StreamEvent, Usage } from '../../src/providers/dialect.ts';
import type { JsonObject } from '../../src/json/is-object.ts';
import type { RequestFacts } from '../../src/providers/request-facts.ts';
import { type ProviderName, providers } from '../../src/providers/registry.ts';

export const NO_RISK: Facts['agentRisk'] = {
  riskScore: 0,
  totalPolicyBlocks: 0,
  totalEscalations: 0,
  totalSpendNanoUsd: 0,
  persistentTaintFlags: [],
  sessionCount: 0,
  quarantineActive: false,
};

/** A session at its first request, if policies have given it a state. */
export const NEW_SESSION: SessionFacts = {
  id: 'one',
  createdAt: 1,
  state: 'INIT',
  spendNanoUsd: 0,
  steps: 1,
  taintFlags: [],
  toolsCalled: [],
  marks: [],
  budgetNanoUsd: undefined,
  lifeMs: 86_400_000,
};

/** Normalization's result for a text without disguises. */
export const NOTHING_HIDDEN: Obfuscation = {
  obfuscationDetected: false,
  hasHomoglyphs: false,
  hasInvisibleChars: false,
  hasBase64Payloads: false,
  hasEncodingAttacks: false,
  hasDelimPadding: false,
};

/** The facts of an undisguised request outside of sessions that precede the policies. */
export function factsOf(request: RequestFacts): Facts {
  return {
    ...newFacts(NO_RISK),
    session: null,
    drift: null,
    prompt: { normalizedTexts: request.texts.map(({ text }) => text), obfuscation: NOTHING_HIDDEN },
  };
}

export interface RequestOptions {
  readonly provider?: ProviderName | undefined;
  readonly path?: string | undefined;
  readonly body: JsonObject;
  /** The body as sent, if different from `JSON.stringify`'s output. */
  readonly text?: string | undefined;
  readonly limits?: BudgetLimits;
  readonly keyHash?: string;
}

/** A request as the stages before the checks leave it, read by the provider's real dialect; with its own key unless set. */
export function parsed(options: RequestOptions): Parsed {
  const {
    provider: name = 'openai',
    path = '/v1/chat/completions',
    keyHash = `sha256:${randomUUID()}`,
  } = options;
  const provider = providers[name];
  const endpoint = provider.endpoint('POST', path);
  if (endpoint === undefined) throw new Error(`no endpoint at ${path}`);
  const body = Buffer.from(options.text ?? JSON.stringify(options.body));
  const json = parseStrict(body) as JsonObject;
  const request = endpoint.dialect.request(json, endpoint);
  return {
    requestId: 'test',
    startedAt: performance.now(),
    method: 'POST',
    path,
    query: '',
    provider,
    endpoint,
    clientAddress: '127.0.0.1',
    headers: new Map(),
    key: { keyHash, name: 'test key', provider: name, tags: {}, createdAt: 0 },
    rawKeyHash: 'sha256:raw',
    providerKey: undefined,
    budget: { limits: options.limits ?? {} },
    facts: factsOf(request),
    responseHeaders: new Map(),
    body,
    json,
    request,
    edits: [],
  };
}

export interface AnswerOptions {
  readonly status?: number;
  readonly form?: Answered['form'];
  readonly usage?: Usage;
  /** The model's output. */
  readonly text?: string;
  readonly reasoning?: string;
  readonly complete?: boolean;
  /** Whether the body was the dialect's JSON. */
  readonly readable?: boolean;
  /** The body's billing, or that of a stream's events. */
  readonly says?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The visible part of the provider's answer. */
export function answered(exchange: Parsed, options: AnswerOptions = {}): Answered {
  const { written } = newAnswer();
  written.add('text', options.text ?? '');
  if (options.reasoning !== undefined) {
    written.add('reasoning', options.reasoning);
  }
  const billing = createBillingReader();
  billing.add(options.says);
  const form = options.form ?? 'whole';
  const readable = options.readable ?? form === 'whole';
  return {
    ...exchange,
    origin: 'provider',
    answerHeaders: new Map(Object.entries(options.headers ?? {})),
    status: options.status ?? 200,
    form,
    answer: {
      whole: undefined,
      facts: readable ? { usage: options.usage, texts: [] } : undefined,
      usage: options.usage,
      wroteSinceUsage: false,
      billing,
      identity: undefined,
      written,
      complete: options.complete ?? form === 'whole',
    },
  };
}

export function streamEvent(more: Partial<StreamEvent> = {}): StreamEvent {
  return { frame: { raw: Buffer.from('data: {}\n\n'), data: '{}' }, deltas: [], ...more };
}
