/** Spans as instrumentations export them, in OTLP JSON. */
export interface SpanOptions {
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly at: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed?: boolean;
}

export function otlpSpan({ id, parent, name, at, attributes, failed }: SpanOptions) {
  return {
    traceId: 't1',
    spanId: id,
    ...(parent !== undefined && { parentSpanId: parent }),
    name,
    startTimeUnixNano: `${String(1_760_000_000 + at)}000000000`,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) })),
    ...(failed === true && { status: { code: 2 } }),
  };
}

export function otlpTrace(spans: readonly SpanOptions[]): string {
  const scopeSpans = [{ scope: { name: 'ai' }, spans: spans.map(otlpSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans }] });
}

function anyValue(value: unknown): unknown {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return typeof value === 'number' ? { intValue: String(value) } : { stringValue: value };
}

/** Two steps of `generateText` with a tool, as AI SDK 5 records them: inner spans end first. */
export function vercelSpans(path = 'notes.txt', prompt = 'Read my notes.'): SpanOptions[] {
  const model = { 'ai.model.provider': 'anthropic.messages', 'ai.model.id': 'claude-sonnet-4-5' };
  const user = { role: 'user', content: [{ type: 'text', text: prompt }] };
  const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'read_file', input: { path } };
  const output = { type: 'text', value: 'All is well.' };
  const result = { type: 'tool-result', toolCallId: 'call_1', toolName: 'read_file', output };
  const system = { role: 'system', content: 'Be brief.' };
  return [
    {
      id: 'b',
      parent: 'a',
      name: 'ai.generateText.doGenerate',
      at: 1,
      attributes: {
        'ai.operationId': 'ai.generateText.doGenerate',
        ...model,
        'gen_ai.system': 'anthropic.messages',
        'gen_ai.request.model': 'claude-sonnet-4-5',
        'ai.prompt.messages': JSON.stringify([system, user]),
        'ai.prompt.tools': ['{"type":"function","name":"read_file"}'],
        'ai.response.finishReason': 'tool-calls',
        'ai.response.text': '',
        'ai.response.toolCalls': JSON.stringify([
          { toolCallId: 'call_1', toolName: 'read_file', input: JSON.stringify({ path }) },
        ]),
      },
    },
    {
      id: 'c',
      parent: 'a',
      name: 'ai.toolCall',
      at: 2,
      attributes: {
        'ai.operationId': 'ai.toolCall',
        'ai.toolCall.name': 'read_file',
        'ai.toolCall.id': 'call_1',
        'ai.toolCall.args': JSON.stringify({ path }),
        'ai.toolCall.result': '"All is well."',
      },
    },
    {
      id: 'd',
      parent: 'a',
      name: 'ai.generateText.doGenerate',
      at: 3,
      attributes: {
        'ai.operationId': 'ai.generateText.doGenerate',
        ...model,
        'gen_ai.system': 'anthropic.messages',
        'gen_ai.request.model': 'claude-sonnet-4-5',
        'ai.prompt.messages': JSON.stringify([
          system,
          user,
          { role: 'assistant', content: [call] },
          { role: 'tool', content: [result] },
        ]),
        'ai.response.text': 'Your notes say that all is well.',
      },
    },
    {
      id: 'a',
      name: 'ai.generateText',
      at: 0,
      attributes: {
        'ai.operationId': 'ai.generateText',
        ...model,
        'ai.prompt': JSON.stringify({ system: 'Be brief.', prompt }),
        'ai.response.text': 'Your notes say that all is well.',
      },
    },
  ];
}

/** An agent with a model, a tool and a retriever, as OpenInference flattens them. */
export function openInferenceSpans(path = 'notes.txt', prompt = 'Read my notes.'): SpanOptions[] {
  const message = 'llm.output_messages.0.message';
  return [
    {
      id: 'b',
      parent: 'a',
      name: 'ChatCompletion',
      at: 1,
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.provider': 'openai',
        'llm.system': 'openai',
        'llm.model_name': 'gpt-4o',
        'session.id': 'talk',
        'input.value': JSON.stringify({ messages: [{ role: 'user', content: prompt }] }),
        'input.mime_type': 'application/json',
        'llm.input_messages.0.message.role': 'system',
        'llm.input_messages.0.message.content': 'Be brief.',
        'llm.input_messages.1.message.role': 'user',
        'llm.input_messages.1.message.contents.0.message_content.type': 'text',
        'llm.input_messages.1.message.contents.0.message_content.text': prompt,
        [`${message}.role`]: 'assistant',
        [`${message}.tool_calls.0.tool_call.id`]: 'call_1',
        [`${message}.tool_calls.0.tool_call.function.name`]: 'read_file',
        [`${message}.tool_calls.0.tool_call.function.arguments`]: JSON.stringify({ path }),
      },
    },
    {
      id: 'c',
      parent: 'a',
      name: 'read_file',
      at: 2,
      attributes: {
        'openinference.span.kind': 'TOOL',
        'session.id': 'talk',
        'tool.name': 'read_file',
        'tool.parameters': '{"path":{"type":"string"}}',
        'input.value': JSON.stringify({ path }),
        'output.value': 'All is well.',
      },
    },
    {
      id: 'e',
      parent: 'a',
      name: 'VectorStoreRetriever',
      at: 3,
      attributes: {
        'openinference.span.kind': 'RETRIEVER',
        'session.id': 'talk',
        'input.value': 'notes',
        'retrieval.documents.0.document.content': 'first note',
        'retrieval.documents.1.document.content': 'second note',
      },
    },
    {
      id: 'a',
      name: 'agent',
      at: 0,
      attributes: { 'openinference.span.kind': 'AGENT', 'session.id': 'talk', 'input.value': prompt },
    },
  ];
}
