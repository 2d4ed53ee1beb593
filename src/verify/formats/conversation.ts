import type { Context, TracePlace, ReadElement, TracedStep } from '../step.ts';
import { providerNamed, providerOfModel, sessionIdOf, stringIn, timeOf, type TraceFields } from './fields.ts';
import { callStep, callsIn, modelStep, resultsIn, resultStep } from './messages.ts';

/** Reads conversation messages one by one, as in a log. */
export interface ConversationReader {
  message(message: TraceFields, place: TracePlace, context: Context): ReadElement[];
  /** Returns the calls that are still without an answer. */
  end(): ReadElement[];
}

interface GatheredMessages {
  messages: TraceFields[];
  chars: number;
  place: TracePlace;
  context: Context;
  at: number | undefined;
}

const ROLES: ReadonlySet<unknown> = new Set([
  'system',
  'developer',
  'user',
  'assistant',
  'tool',
  'function',
  'model',
]);
/** Conversations without answers are judged in pieces of this size. */
const MAX_MESSAGES = 1_000;
const MAX_CHARS = 1_048_576;
const MAX_CONVERSATIONS = 1_000;

export function isMessage(fields: TraceFields): boolean {
  return ROLES.has(fields['role']);
}

/** Groups messages since the last answer into one call. Function calls and results become tool calls and responses. */
export function createConversationReader(): ConversationReader {
  /** Ordered by last use, oldest first. */
  const waiting = new Map<string, GatheredMessages>();

  function ask({ messages, place, context, at }: GatheredMessages): ReadElement {
    const step = modelStep('llm_call', messages, { ...context, ...modelIn(context), at });
    return { ...place, kind: 'steps', steps: [step] };
  }

  function add(session: string, message: TraceFields, place: TracePlace, context: Context): ReadElement[] {
    const open = waiting.get(session);
    const chars = (open?.chars ?? 0) + lengthOf(message);
    waiting.delete(session);
    const next = {
      messages: [...(open?.messages ?? []), message],
      chars,
      place,
      context,
      at: timeIn(message) ?? open?.at,
    };
    if (next.messages.length >= MAX_MESSAGES || chars >= MAX_CHARS) return [ask(next)];
    waiting.set(session, next);
    const [oldest] = waiting;
    if (waiting.size <= MAX_CONVERSATIONS || oldest === undefined) return [];
    waiting.delete(oldest[0]);
    return [ask(oldest[1])];
  }

  function answer(message: TraceFields, place: TracePlace, context: Context): ReadElement[] {
    const question = waiting.get(context.sessionId);
    waiting.delete(context.sessionId);
    const at = timeIn(message);
    const empty = { messages: [], chars: 0, place, context, at };
    const source = { ...context, ...modelIn(context), at };
    const steps: TracedStep[] = [
      modelStep('llm_response', message, source),
      ...callsIn(message).map((call) => callStep(call, source)),
    ];
    return [ask(question ?? empty), { ...place, kind: 'steps', steps }];
  }

  return {
    message(message, place, outer) {
      const context = contextOfMessage(message, outer);
      if (message['role'] === 'assistant' || message['role'] === 'model')
        return answer(message, place, context);
      const results = resultsIn(message);
      const at = timeIn(message);
      const steps = results.map((result) => resultStep(result, { ...context, at }));
      const found: ReadElement[] = steps.length === 0 ? [] : [{ ...place, kind: 'steps', steps }];
      const isResult = message['role'] === 'tool' || message['role'] === 'function';
      return isResult ? found : [...found, ...add(context.sessionId, message, place, context)];
    },
    end() {
      const left = [...waiting.values()].map(ask);
      waiting.clear();
      return left;
    },
  };
}

function modelIn({ provider, model }: Context): Required<Pick<Context, 'provider' | 'model'>> {
  return { provider: provider ?? providerOfModel(model), model };
}

function contextOfMessage(message: TraceFields, outer: Context): Context {
  const session = stringIn(message, ['session_id', 'conversation_id', 'thread_id']);
  const model = stringIn(message, ['model']);
  const provider = stringIn(message, ['provider']);
  return {
    ...outer,
    ...(session !== undefined && { sessionId: sessionIdOf(session) }),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider: providerNamed(provider) ?? outer.provider }),
  };
}

function timeIn(message: TraceFields): number | undefined {
  const written = stringIn(message, ['timestamp', 'created_at', 'created']);
  return written === undefined ? undefined : timeOf(written);
}

function lengthOf({ content }: TraceFields): number {
  return typeof content === 'string' ? content.length : JSON.stringify(content ?? '').length;
}
