import { agentRiskSchema, agentSchema, sessionSchema } from '../../src/policy/call-json.ts';
import { writtenContextReadings } from '../../src/policy/call-from-json.ts';
import { callTrust, NO_ROLE_TRUSTED, type TrustSettings } from '../../src/policy/trust.ts';
import type { InstructionRole } from '../../src/providers/instructions.ts';
import type { ActionInput, CallText, PolicyCall, PolicyInput } from '../../src/policy/call.ts';

export interface CallOptions {
  readonly session?: Partial<PolicyInput['session']>;
  readonly agent?: Partial<PolicyInput['agent']>;
  readonly risk?: Partial<PolicyInput['agent_risk']>;
  readonly marks?: readonly string[];
  readonly trust?: TrustSettings;
  readonly keyTrust?: readonly InstructionRole[];
}

/** A model call with one text. */
export function llmCall(
  text: string,
  options: CallOptions & { model?: string; normalized?: string; role?: InstructionRole } = {},
): PolicyCall {
  const { model = 'gpt-4o', normalized = text, role } = options;
  const request = {
    provider: 'openai',
    model,
    method: 'llm_call',
    path: '/openai/v1/chat/completions',
    unseen_content: false,
  } as const;
  return call(request, [{ raw: text, normalized, argument: undefined, role }], options);
}

/** A tool call with flat arguments. */
export function toolCall(
  tool: string,
  args: Readonly<Record<string, unknown>> = {},
  options: CallOptions & { server?: string } = {},
): PolicyCall {
  const { server = 'tools' } = options;
  const request = {
    provider: 'openai',
    method: 'mcp_tool_call',
    mcp_method: 'tools/call',
    tool_name: tool,
    resource_uri: '',
    prompt_name: '',
    mcp_server: server,
    path: `/mcp/${server}/tools/call`,
    arguments: args,
    unseen_content: false,
  } as const;
  return call(request, textsIn(args, []), options);
}

function textsIn(value: unknown, argument: readonly (string | number)[]): CallText[] {
  if (typeof value === 'string') return [{ raw: value, normalized: value, argument }];
  if (Array.isArray(value)) return value.flatMap((one, index) => textsIn(one, [...argument, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => textsIn(one, [...argument, name]));
}

function call(request: PolicyInput['request'], texts: readonly CallText[], options: CallOptions): PolicyCall {
  return {
    input: {
      agent: {
        ...agentSchema.parse({ key_hash: 'sha256:abc', name: 'k', provider: 'openai' }),
        ...options.agent,
      },
      request,
      session: { ...sessionSchema.parse({}), ...options.session },
      agent_risk: { ...agentRiskSchema.parse({}), ...options.risk },
    },
    texts,
    contextReadings: () => writtenContextReadings(request, texts),
    marks: options.marks ?? [],
    trust: callTrust(options.trust ?? NO_ROLE_TRUSTED, options.keyTrust),
    action: () => ({ normalized_prompt: '', obfuscation: NOTHING_HIDDEN_FIELDS }),
  };
}

export const NO_DRIFT: PolicyInput['session']['drift'] = sessionSchema.parse({}).drift;

/** The normalization facts of a text without disguises. */
export const NOTHING_HIDDEN_FIELDS: ActionInput['obfuscation'] = {
  obfuscation_detected: false,
  has_homoglyphs: false,
  has_invisible_chars: false,
  has_base64_payloads: false,
  has_encoding_attacks: false,
  has_delim_padding: false,
};
