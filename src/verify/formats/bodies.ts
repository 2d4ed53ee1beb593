import { DEFAULT_SESSION, unreadableStep, type Context, type Read, type TracedStep } from '../step.ts';
import {
  agentOf,
  firstOf,
  providerNamed,
  providerOfModel,
  sessionIdOf,
  stringIn,
  timeOf,
  type TraceFields,
} from './fields.ts';
import { isObject } from '../../json/is-object.ts';
import {
  callStep,
  callsIn,
  modelStep,
  resultsIn,
  resultStep,
  type FunctionCall,
  type FunctionResult,
} from './messages.ts';

const ASKS = ['messages', 'contents', 'prompt', 'input', 'message', 'inputText'] as const;
const REQUEST = ['request', 'body', 'request_body', 'kwargs'] as const;
const RESPONSE = ['response', 'response_body', 'completion'] as const;
const SESSION = ['session_id', 'conversation_id', 'thread_id'] as const;
/** Number of calls and results remembered to recognize repetitions in later requests. */
const MAX_KNOWN = 10_000;

/** Recognizes a request body, or an object with one. */
export function isBody(fields: TraceFields): boolean {
  return bodyIn(fields) !== undefined;
}

/** Returns a reader of requests to provider APIs, one per element, with recorded answers. */
export function createBodyReader(): (element: TraceFields, index: number, context: Context) => Read {
  const known = new Set<string>();

  /** Returns true for new ids. Also returns true without an id, because repetitions then cannot be recognized. */
  function isNew(sessionId: string, what: 'call' | 'result', id: string | undefined): boolean {
    if (id === undefined) return true;
    const name = JSON.stringify([sessionId, what, id]);
    if (known.has(name)) return false;
    const [oldest] = known;
    if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    known.add(name);
    return true;
  }

  return (element, index, context) => {
    const body = bodyIn(element);
    if (body === undefined) return unreadableStep('a request needs messages, contents, input or prompt');
    const source = sourceOf(element, body, inOwnSession(context, index));
    if (typeof source === 'string') return unreadableStep(source);
    const { sessionId } = source;
    const history = stepsIn(body).flatMap((step): TracedStep[] => {
      if (!isNew(sessionId, 'result' in step ? 'result' : 'call', step.id)) return [];
      return ['result' in step ? resultStep(step, source) : callStep(step, source)];
    });
    const answer = firstOf(element, RESPONSE);
    const answered = answer === undefined ? [] : [modelStep('llm_response', answer, source)];
    const called = answeredCalls(answer)
      .filter(({ id }) => isNew(sessionId, 'call', id))
      .map((call) => callStep(call, source));
    return {
      kind: 'steps',
      steps: [...history, modelStep('llm_call', body, source), ...answered, ...called],
    };
  };
}

function bodyIn(fields: TraceFields): TraceFields | undefined {
  const inner = firstOf(fields, REQUEST);
  if (isObject(inner) && ASKS.some((name) => Object.hasOwn(inner, name))) return inner;
  return ASKS.some(
    (name) =>
      Array.isArray(fields[name]) || (typeof fields[name] === 'string' && Object.hasOwn(fields, 'model')),
  )
    ? withoutLogMembers(fields)
    : undefined;
}

function withoutLogMembers(fields: TraceFields): TraceFields {
  const beside = new Set<string>([...RESPONSE, ...SESSION, 'timestamp', 'agent', 'provider', 'version']);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !beside.has(name)));
}

function sourceOf(
  element: TraceFields,
  body: TraceFields,
  context: Context,
): (Context & { readonly at: number | undefined }) | string {
  const model = stringIn(body, ['model']) ?? stringIn(element, ['model']) ?? context.model;
  const named = stringIn(element, ['provider']);
  const provider =
    named === undefined ? (context.provider ?? providerOfBody(body, model)) : providerNamed(named);
  if (provider === undefined) return 'unknown provider: set one that the gateway supports, or omit it';
  const session = stringIn(element, SESSION);
  const agent = stringIn(element, ['agent', 'agent_name']);
  return {
    model,
    provider,
    sessionId: session === undefined ? context.sessionId : sessionIdOf(session),
    agent: agent === undefined ? context.agent : agentOf(agent),
    at: timeOf(stringIn(element, ['timestamp', 'time', 'created_at', 'startTime', 'start_time']) ?? ''),
  };
}

/** Gives requests without a session name separate sessions, because each contains its whole conversation. */
function inOwnSession(context: Context, index: number): Context {
  return context.sessionId === DEFAULT_SESSION
    ? { ...context, sessionId: `${DEFAULT_SESSION}-${String(index)}` }
    : context;
}

function providerOfBody(body: TraceFields, model: string | undefined): Context['provider'] {
  if (Object.hasOwn(body, 'contents')) return 'gemini';
  return providerOfModel(model);
}

function stepsIn(body: TraceFields): readonly (FunctionCall | FunctionResult)[] {
  const messages = firstOf(body, ['messages', 'input']);
  if (!Array.isArray(messages)) return [];
  return messages.filter(isObject).flatMap((message) => [...callsIn(message), ...resultsIn(message)]);
}

function answeredCalls(answer: unknown): readonly FunctionCall[] {
  if (!isObject(answer)) return [];
  const { choices } = answer;
  const messages = Array.isArray(choices)
    ? choices.map((choice: unknown) => (isObject(choice) ? choice['message'] : undefined))
    : [answer];
  return messages.filter(isObject).flatMap(callsIn);
}
