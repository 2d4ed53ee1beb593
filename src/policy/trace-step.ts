import { normalizeKnown } from '../normalize/known.ts';
import type { PolicyCall, PolicyInput, TraceStep } from './call.ts';

export function callStep({ input: { request }, texts }: PolicyCall): TraceStep {
  const content = texts.flatMap(({ raw, normalized }) => (raw === normalized ? [raw] : [raw, normalized]));
  return request.method === 'llm_call'
    ? { type: 'llm_call', provider: request.provider, tool: '', content }
    : { type: request.method, provider: request.mcp_server, tool: request.tool_name, content };
}

export type UnreadStep = Omit<TraceStep, 'content'>;

export function answerTo(request: PolicyInput['request']): UnreadStep {
  return request.method === 'llm_call'
    ? { type: 'llm_response', provider: request.provider, tool: '' }
    : { type: 'mcp_tool_response', provider: request.mcp_server, tool: request.tool_name };
}

export async function stepOfTexts(step: UnreadStep, texts: readonly string[]): Promise<TraceStep> {
  const normalized = await normalizeKnown(texts);
  const content = texts.flatMap((text, index) => [...new Set([text, normalized[index]?.text ?? text])]);
  return { ...step, content };
}
