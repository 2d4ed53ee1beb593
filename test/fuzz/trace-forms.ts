import { otlpTrace, vercelSpans } from '../unit/verify/spans.ts';

const STEPS = [
  { type: 'llm_call', content: 'hello' },
  { type: 'mcp_tool_call', tool: 'read', args: { path: 'a' }, session_id: 's' },
];

/** A trace in each form that `gateway verify` reads, with a text in a prompt. */
export const TRACES = {
  steps: (text: string) =>
    JSON.stringify({ session_id: 's', traces: [...STEPS, { type: 'llm_call', content: text }] }),
  'a list': (text: string) => JSON.stringify([...STEPS, { type: 'llm_call', content: text }]),
  lines: (text: string) =>
    [...STEPS, { type: 'llm_call', content: text }].map((step) => JSON.stringify(step)).join('\n'),
  'a conversation': (text: string) =>
    JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: text }] }),
  spans: (text: string) => otlpTrace(vercelSpans('notes.txt', text)),
} as const satisfies Readonly<Record<string, (text: string) => string>>;

export type TraceForm = keyof typeof TRACES;
