import type { Answered, BudgetLimits, Parsed } from '../../../src/pipeline/exchange.ts';
import { createWrittenText } from '../../../src/pipeline/written-text.ts';
import type { ProviderName, StreamEvent, Usage } from '../../../src/providers/provider.ts';
import { providers } from '../../../src/providers/registry.ts';
import { newKeyHash } from './support.ts';

export interface RequestOptions {
  readonly provider?: ProviderName;
  readonly path?: string;
  readonly body: Record<string, unknown>;
  readonly limits?: BudgetLimits;
  readonly keyHash?: string;
}

/** A request as the stages before the checks leave it, read by the provider's real dialect. */
export function parsed(options: RequestOptions): Parsed {
  const provider = providers[options.provider ?? 'openai'];
  const path = options.path ?? '/v1/chat/completions';
  const endpoint = provider.endpoint('POST', path);
  if (endpoint === undefined) {
    throw new Error(`no endpoint at ${path}`);
  }
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
    key: {
      keyHash: options.keyHash ?? newKeyHash(),
      name: 'test key',
      provider: provider.name,
      tags: {},
      createdAt: 0,
    },
    rawKeyHash: 'sha256:raw',
    providerKey: undefined,
    budgetLimits: options.limits ?? {},
    facts: {
      agentRisk: {
        riskScore: 0,
        totalPolicyBlocks: 0,
        totalEscalations: 0,
        totalSpendNanoUsd: 0,
        persistentTaintFlags: [],
        sessionCount: 0,
        quarantineActive: false,
      },
      session: undefined,
      drift: undefined,
      prompt: undefined,
    },
    responseHeaders: new Map(),
    body: Buffer.from(JSON.stringify(options.body)),
    json: options.body,
    request: endpoint.dialect.request(options.body, endpoint),
    edits: [],
  };
}

export interface AnswerOptions {
  readonly status?: number;
  readonly form?: Answered['form'];
  readonly usage?: Usage;
  /** What the model wrote. */
  readonly text?: string;
  readonly reasoning?: string;
  readonly complete?: boolean;
  /** The body was the dialect's JSON. */
  readonly readable?: boolean;
}

/** The provider's answer, as far as it was seen. */
export function answered(exchange: Parsed, options: AnswerOptions = {}): Answered {
  const written = createWrittenText();
  written.add('text', options.text ?? '');
  if (options.reasoning !== undefined) {
    written.add('reasoning', options.reasoning);
  }
  const form = options.form ?? 'whole';
  const readable = options.readable ?? form === 'whole';
  return {
    ...exchange,
    origin: 'provider',
    answerHeaders: new Map(),
    status: options.status ?? 200,
    form,
    answer: {
      whole: undefined,
      facts: readable ? { usage: options.usage, texts: [] } : undefined,
      usage: options.usage,
      written,
      complete: options.complete ?? form === 'whole',
    },
  };
}

export function streamEvent(more: Partial<StreamEvent> = {}): StreamEvent {
  return { frame: { raw: Buffer.from('data: {}\n\n'), data: '{}' }, deltas: [], ...more };
}
