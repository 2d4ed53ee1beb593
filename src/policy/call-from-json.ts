import type * as z from 'zod';
import { issueMessage } from '../config/issue-message.ts';
import { didYouMean } from '../config/nearest-name.ts';
import { GatewayError } from '../errors.ts';
import type { JsonPath } from '../json/path.ts';
import { parseStrict } from '../json/strict-parse.ts';
import { normalizeAll, type Obfuscation } from '../normalize/normalize.ts';
import { textsIn } from '../providers/dialects/json-text.ts';
import { objectReading, contextReadings } from './context-readings.ts';
import type { ActionInput, CallText, PolicyCall, PolicyInput, TraceStep, ContextReading } from './call.ts';
import { callSchema, type CallJson } from './call-json.ts';
import { withResolvedPaths } from './resolved-path.ts';
import { callTrust, type TrustSettings } from './trust.ts';
import { joinedParts, type Part } from './joined-parts.ts';
import type { McpCallType } from '../mcp/methods.ts';
import { keysOf } from './read-yaml.ts';
import { stepOfTexts } from './trace-step.ts';

/** An invalid policy input. The message lists the invalid members, one per line, without their values. */
class CallJsonError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CallJsonError';
  }
}

/** A call without marks, which the policy set derives from `history`. */
export interface WrittenCall {
  readonly call: PolicyCall;
  readonly history: readonly TraceStep[];
}

/** More than the largest request body that a gateway can accept (15 MiB). */
const MAX_CHARS = 16 * 1_048_576;

/**
 * Parses a policy input as strictly as a request: names must be unique, and nesting is limited.
 * @throws CallJsonError
 */
export async function readCallJson(json: string, name: string, trust: TrustSettings): Promise<WrittenCall> {
  if (json.length > MAX_CHARS)
    throw new CallJsonError(`${name} is longer than ${String(MAX_CHARS)} characters`);
  return callFromJson(parsedFile(json, name), name, trust);
}

function parsedFile(json: string, name: string): unknown {
  try {
    return parseStrict(Buffer.from(json.replace(/^\uFEFF/, '')));
  } catch (failure) {
    if (!(failure instanceof GatewayError)) throw failure;
    throw new CallJsonError(failure.message.replace(/^The request body/, name));
  }
}

async function callFromJson(value: unknown, name: string, trust: TrustSettings): Promise<WrittenCall> {
  const { data, error } = callSchema.safeParse(value);
  if (data === undefined)
    throw new CallJsonError(error.issues.flatMap((issue) => issueLines(issue, name)).join('\n'));
  return callOf(data, trust);
}

/**
 * Normalizes a call's texts as the gateway does.
 * @param trust `policy.trust`, for roles that the input does not set
 */
export async function callOf({ history, ...written }: CallJson, trust: TrustSettings): Promise<WrittenCall> {
  const input = policyInput(written);
  const places = writtenTexts(input.request, written);
  const normalized = await normalizeAll(places.map(({ raw }) => raw));
  const own = places.map((place, index): CallText => ({
    ...place,
    normalized: normalized[index]?.text ?? place.raw,
  }));
  const texts = input.request.method === 'llm_call' ? own : withResolvedPaths(own);
  const action: ActionInput = {
    normalized_prompt: written.action?.normalized_prompt ?? own.map((text) => text.normalized).join('\n'),
    obfuscation: {
      ...obfuscationFlags(normalized.map(({ obfuscation }) => obfuscation)),
      ...written.action?.obfuscation,
    },
  };
  return {
    call: {
      input,
      texts,
      joined: () => joinedParts(own, ({ raw, argument }, index) => writtenPart(raw, argument ?? [index])),
      contextReadings: () => writtenContextReadings(input.request, texts),
      marks: [],
      trust: callTrust(trustIn(written, trust), undefined),
      action: () => action,
      injectionScore: written.action?.injection_score,
    },
    history: await Promise.all(history.map(({ content, ...step }) => stepOfTexts(step, [content].flat()))),
  };
}

function trustIn({ trust: own }: Pick<CallJson, 'trust'>, configured: TrustSettings): TrustSettings {
  return {
    system: own.system ?? configured.system,
    developer: own.developer ?? configured.developer,
  };
}

const DEFAULT_METHODS: Readonly<Record<McpCallType, string>> = {
  mcp_tool_call: 'tools/call',
  mcp_resource_read: 'resources/read',
  mcp_resource_subscribe: 'resources/subscribe',
  mcp_prompt_get: 'prompts/get',
  mcp_completion: 'completion/complete',
  mcp_task: 'tasks/get',
  mcp_client_response: '',
  mcp_other: '',
};

function policyInput({ agent, request, session, agent_risk }: Omit<CallJson, 'history'>): PolicyInput {
  if (request.method === 'llm_call') return { agent, request, session, agent_risk };
  const { method, mcp_server, resource_uri: uri } = request;
  const {
    mcp_method = DEFAULT_METHODS[method],
    path = `/mcp/${mcp_server}${method === 'mcp_tool_call' ? '/tools/call' : ''}`,
    arguments: args = uri === '' ? {} : { uri },
  } = request;
  return { agent, request: { ...request, mcp_method, path, arguments: args }, session, agent_risk };
}

function writtenTexts(
  request: PolicyInput['request'],
  { prompt_text, action }: Omit<CallJson, 'history'>,
): Omit<CallText, 'normalized'>[] {
  if (request.method === 'llm_call') {
    const prompts = [prompt_text ?? action?.normalized_prompt ?? []].flat();
    return prompts.map((prompt, index) => {
      const source = { path: ['prompt_text', index], role: 'user', kind: 'text' } as const;
      return typeof prompt === 'string'
        ? { raw: prompt, argument: undefined, source }
        : {
            raw: prompt.text,
            argument: undefined,
            role: prompt.role,
            source: { ...source, role: prompt.role },
          };
    });
  }
  const found = textsIn(request.arguments, []).map(({ text, path }) => ({
    raw: text,
    argument: path,
    source: { path: ['arguments', ...path], role: 'assistant', kind: 'tool_arguments' } as const,
  }));
  const names = [request.tool_name, request.prompt_name, request.resource_uri];
  const more = names.filter((name) => name !== '' && !found.some(({ raw }) => raw === name));
  return [...more.map((raw) => ({ raw, argument: undefined })), ...found];
}

function writtenPart(text: string, path: JsonPath): Part {
  return { text, path: ['params', 'arguments', ...path], isConversation: true };
}

/** Yields the context readings of a request; tool arguments are read as a document. */
export function* writtenContextReadings(
  request: PolicyInput['request'],
  texts: readonly CallText[],
): Generator<ContextReading> {
  const args = request.method === 'mcp_tool_call' ? request.arguments : undefined;
  const placed = texts.map((text) => {
    return { ...text, path: [], isConversation: text.argument === undefined, isString: true };
  });
  if (typeof args === 'object' && args !== null) yield objectReading(args, [], []);
  yield* contextReadings(undefined, placed);
}

function obfuscationFlags(all: readonly Obfuscation[]): ActionInput['obfuscation'] {
  const some = (flag: keyof Obfuscation): boolean => all.some((each) => each[flag]);
  return {
    obfuscation_detected: some('obfuscationDetected'),
    has_homoglyphs: some('hasHomoglyphs'),
    has_invisible_chars: some('hasInvisibleChars'),
    has_base64_payloads: some('hasBase64Payloads'),
    has_encoding_attacks: some('hasEncodingAttacks'),
    has_delim_padding: some('hasDelimPadding'),
  };
}

function issueLines(issue: z.core.$ZodIssue, name: string): string[] {
  const at = (path: readonly PropertyKey[], message: string): string =>
    `${name}: ${path.length === 0 ? '' : `${path.map(String).join('.')} `}${message}`;
  if (issue.code !== 'unrecognized_keys') return [at(issue.path, issueMessage(issue))];
  return issue.keys.map((key) => {
    const meant = didYouMean(key, keysOf(callSchema));
    return at([...issue.path, key.slice(0, 64)], `is not a member of a policy input${meant}`);
  });
}
