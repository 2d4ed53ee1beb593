import {
  type Reassembled,
  type Json,
  type Seen,
  type Add,
  reassemble,
  readSse,
  awsMessage,
  awsEvents,
  object,
  list,
} from './read-dialect-stream.ts';
import type { StreamReader } from '../../src/providers/dialect.ts';
import { type ProviderName, providers } from '../../src/providers/registry.ts';
import { awsEventStream } from '../../src/streams/aws-event-stream.ts';
import type { StreamFormat } from '../../src/streams/frame.ts';
import { jsonArray } from '../../src/streams/json-array.ts';
import { sse } from '../../src/streams/sse.ts';

/** A piece of one of an answer's two texts (choices, content blocks, tool calls). */
export interface Piece {
  readonly of: 0 | 1;
  readonly text: string;
}

/** A streaming dialect as a provider writes it and a client reassembles it, without any code of ours. */
export interface DialectStream {
  readonly name: string;
  readonly format: StreamFormat;
  createReader(): StreamReader;
  /** How a text is prepared before it is cut in pieces: unchanged, or in a JSON document of arguments. */
  wrap(text: string): string;
  unwrap(text: string): string;
  write(pieces: readonly Piece[]): Buffer;
  read(bytes: Buffer): Reassembled;
}

const plain = { wrap: (text: string) => text, unwrap: (text: string) => text };
const inArguments = {
  wrap: (text: string) => JSON.stringify({ note: 1, value: text }),
  unwrap: (text: string) => String((JSON.parse(text) as Json)['value']),
};

export const DIALECT_STREAMS: readonly DialectStream[] = [
  {
    name: 'OpenAI chat, two choices',
    ...sseDialect('openai', '/v1/chat/completions'),
    ...plain,
    write: (pieces) =>
      events([
        ...pieces.map(({ of, text }) => chatChunk(of, { content: text })),
        ...([0, 1] as const).map((of) => chatChunk(of, {}, 'stop')),
        '[DONE]',
      ]),
    read: readSse((add, { json }) => {
      for (const choice of list(json['choices'])) add(choice['index'], object(choice['delta'])['content']);
    }),
  },
  {
    name: 'OpenAI chat, two tool calls',
    ...sseDialect('openai', '/v1/chat/completions'),
    ...inArguments,
    write: (pieces) =>
      events([
        ...([0, 1] as const).map((index) =>
          chatChunk(0, {
            tool_calls: [{ index, id: `call_${String(index)}`, function: { name: 'note', arguments: '' } }],
          }),
        ),
        ...pieces.map(({ of, text }) =>
          chatChunk(0, { tool_calls: [{ index: of, function: { arguments: text } }] }),
        ),
        chatChunk(0, {}, 'tool_calls'),
        '[DONE]',
      ]),
    read: readSse((add, { json }) => {
      const calls = list(json['choices']).flatMap((choice) => list(object(choice['delta'])['tool_calls']));
      for (const call of calls) add(call['index'], object(call['function'])['arguments']);
    }),
  },
  {
    name: 'OpenAI responses, two items',
    ...sseDialect('openai', '/v1/responses'),
    ...plain,
    write(pieces) {
      const wholes = ([0, 1] as const).map((of) => joined(pieces, of));
      const items = wholes.map((text) => ({ type: 'message', content: [{ type: 'output_text', text }] }));
      return events([
        ...pieces.map(({ of, text }) => ({
          type: 'response.output_text.delta',
          output_index: of,
          content_index: 0,
          delta: text,
        })),
        ...wholes.map((text, output_index) => ({
          type: 'response.output_text.done',
          output_index,
          content_index: 0,
          text,
        })),
        { type: 'response.completed', response: { id: 'resp_1', output: items } },
      ]);
    },
    read: readSse((add, { json }) => {
      if (json['type'] === 'response.output_text.delta') add(json['output_index'], json['delta']);
    }),
  },
  {
    name: 'Anthropic, two blocks',
    ...sseDialect('anthropic', '/v1/messages'),
    ...plain,
    write: (pieces) =>
      anthropic(pieces, { type: 'text', text: '' }, (text) => ({ type: 'text_delta', text })),
    read: readSse((add, { json }) => add(json['index'], object(json['delta'])['text'])),
  },
  {
    name: 'Anthropic, two tool calls',
    ...sseDialect('anthropic', '/v1/messages'),
    ...inArguments,
    write: (pieces) =>
      anthropic(pieces, { type: 'tool_use', id: 'toolu_1', name: 'note', input: {} }, (text) => ({
        type: 'input_json_delta',
        partial_json: text,
      })),
    read: readSse((add, { json }) => add(json['index'], object(json['delta'])['partial_json'])),
  },
  {
    name: 'Gemini, two candidates',
    ...sseDialect('gemini', '/v1beta/models/gemini-2.0-flash:streamGenerateContent', 'alt=sse'),
    ...plain,
    write: (pieces) => events(gemini(pieces)),
    read: readSse(addGemini),
  },
  {
    name: 'Gemini, a JSON array',
    ...readerOf('gemini', '/v1beta/models/gemini-2.0-flash:streamGenerateContent'),
    format: jsonArray,
    ...plain,
    write: (pieces) => Buffer.from(JSON.stringify(gemini(pieces), undefined, 1)),
    read: (bytes) =>
      reassemble(
        (JSON.parse(bytes.toString()) as Json[]).map((json) => ({ name: '', json })),
        addGemini,
      ),
  },
  {
    name: 'Bedrock, two blocks',
    ...readerOf('bedrock', '/model/amazon.nova-lite-v1:0/converse-stream'),
    format: awsEventStream,
    ...plain,
    write: (pieces) =>
      Buffer.concat([
        ...pieces.map(({ of, text }) =>
          awsMessage('contentBlockDelta', { contentBlockIndex: of, delta: { text } }),
        ),
        ...[0, 1].map((of) => awsMessage('contentBlockStop', { contentBlockIndex: of })),
        awsMessage('messageStop', { stopReason: 'end_turn' }),
        awsMessage('metadata', { usage: { inputTokens: 1, outputTokens: 2 } }),
      ]),
    read: (bytes) =>
      reassemble(awsEvents(bytes), (add, { json }) =>
        add(json['contentBlockIndex'], object(json['delta'])['text']),
      ),
  },
  {
    name: 'Gemini, arguments in pieces of two candidates',
    ...sseDialect('gemini', '/v1beta/models/gemini-2.0-flash:streamGenerateContent', 'alt=sse'),
    ...plain,
    write: (pieces) =>
      events([
        ...([0, 1] as const).map((of) => geminiCall(of, { name: 'note', willContinue: true })),
        ...pieces.map(({ of, text }) =>
          geminiCall(of, {
            partialArgs: [{ jsonPath: '$.value', stringValue: text, willContinue: true }],
            willContinue: true,
          }),
        ),
        ...([0, 1] as const).map((of) => geminiCall(of, {})),
      ]),
    read: (bytes) => {
      const over = new Set<unknown>();
      return readSse((add, { json }) => {
        for (const candidate of list(json['candidates'])) {
          const { index, content } = candidate;
          const call = object(list(object(content)['parts'])[0]?.['functionCall']);
          for (const piece of list(call['partialArgs'])) {
            if (over.has(index) || piece['jsonPath'] !== '$.value')
              throw new Error('a piece out of its place');
            add(index, piece['stringValue']);
          }
          if (call['willContinue'] !== true) over.add(index);
        }
      })(bytes);
    },
  },
  {
    name: 'Bedrock, two tool calls',
    ...readerOf('bedrock', '/model/amazon.nova-lite-v1:0/converse-stream'),
    format: awsEventStream,
    ...inArguments,
    write: (pieces) =>
      Buffer.concat([
        ...pieces.map(({ of, text }) =>
          awsMessage('contentBlockDelta', { contentBlockIndex: of, delta: { toolUse: { input: text } } }),
        ),
        ...[0, 1].map((of) => awsMessage('contentBlockStop', { contentBlockIndex: of })),
        awsMessage('messageStop', { stopReason: 'tool_use' }),
      ]),
    read: (bytes) =>
      reassemble(awsEvents(bytes), (add, { json }) =>
        add(json['contentBlockIndex'], object(object(json['delta'])['toolUse'])['input']),
      ),
  },
  {
    name: 'Cohere, two tool calls',
    ...sseDialect('cohere', '/v2/chat'),
    ...inArguments,
    write: (pieces) =>
      events([
        ...pieces.map(({ of, text }) => ({
          type: 'tool-call-delta',
          index: of,
          delta: { message: { tool_calls: { function: { arguments: text } } } },
        })),
        ...[0, 1].map((index) => ({ type: 'tool-call-end', index })),
        { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } },
      ]),
    read: readSse((add, { json }) => {
      const { tool_calls: call } = object(object(json['delta'])['message']);
      add(json['index'], object(object(call)['function'])['arguments']);
    }),
  },
  {
    name: 'Cohere, two content parts',
    ...sseDialect('cohere', '/v2/chat'),
    ...plain,
    write: (pieces) =>
      events([
        ...[0, 1].map((index) => ({
          type: 'content-start',
          index,
          delta: { message: { content: { type: 'text', text: '' } } },
        })),
        ...pieces.map(({ of, text }) => ({
          type: 'content-delta',
          index: of,
          delta: { message: { content: { text } } },
        })),
        ...[0, 1].map((index) => ({ type: 'content-end', index })),
        { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
      ]),
    read: readSse((add, { json }) => {
      const { content } = object(object(json['delta'])['message']);
      add(json['index'], object(content)['text']);
    }),
  },
];

function readerOf(provider: ProviderName, path: string, query = ''): Pick<DialectStream, 'createReader'> {
  const endpoint = providers[provider].endpoint('POST', path, query);
  return {
    createReader() {
      const reader = endpoint?.dialect.stream();
      if (reader === undefined) throw new Error(`${path} does not stream`);
      return reader;
    },
  };
}

function sseDialect(
  provider: ProviderName,
  path: string,
  query = '',
): Pick<DialectStream, 'createReader' | 'format'> {
  return { ...readerOf(provider, path, query), format: sse };
}

function chatChunk(index: number, delta: Json, finish: string | null = null): Json {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'gpt-4o-mini',
    choices: [{ index, delta, finish_reason: finish }],
  };
}

function anthropic(pieces: readonly Piece[], start: Json, delta: (text: string) => Json): Buffer {
  return events(
    [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          role: 'assistant',
          content: [],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      ...[0, 1].map((index) => ({ type: 'content_block_start', index, content_block: start })),
      { type: 'ping' },
      ...pieces.map(({ of, text }) => ({ type: 'content_block_delta', index: of, delta: delta(text) })),
      ...[0, 1].map((index) => ({ type: 'content_block_stop', index })),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
      { type: 'message_stop' },
    ],
    true,
  );
}

function geminiCall(index: number, functionCall: Json): Json {
  return { candidates: [{ index, content: { role: 'model', parts: [{ functionCall }] } }] };
}

function gemini(pieces: readonly Piece[]): Json[] {
  return [
    ...pieces.map(({ of, text }) => ({
      candidates: [{ index: of, content: { role: 'model', parts: [{ text }] } }],
    })),
    {
      candidates: [0, 1].map((index) => ({
        index,
        content: { role: 'model', parts: [{ text: '' }] },
        finishReason: 'STOP',
      })),
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
    },
  ];
}

function addGemini(add: Add, { json }: Seen): void {
  for (const candidate of list(json['candidates'])) {
    const { parts } = object(candidate['content']);
    for (const part of list(parts)) add(candidate['index'], part['text']);
  }
}

function joined(pieces: readonly Piece[], wanted: 0 | 1): string {
  return pieces
    .filter(({ of }) => of === wanted)
    .map(({ text }) => text)
    .join('');
}

function events(payloads: readonly (Json | string)[], named = false): Buffer {
  const lines = payloads.map((payload) => {
    if (typeof payload === 'string') return `data: ${payload}\n\n`;
    return `${named ? `event: ${String(payload['type'])}\n` : ''}data: ${JSON.stringify(payload)}\n\n`;
  });
  return Buffer.from(lines.join(''));
}
