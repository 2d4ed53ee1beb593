import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { providers } from '../../../src/providers/registry.ts';
import type { Dialect, Endpoint } from '../../../src/providers/dialect.ts';
import type { JsonObject } from '../../../src/json/is-object.ts';
import { valueAt } from '../../support/request-facts.ts';

/** A path for each dialect. */
const PATHS = [
  ['anthropic', '/v1/messages'],
  ['anthropic', '/v1/messages/count_tokens'],
  ['gemini', '/v1beta/models/gemini-x:generateContent'],
  ['gemini', '/v1beta/models/gemini-x:streamGenerateContent'],
  ['gemini', '/v1beta/models/gemini-x:countTokens'],
  ['gemini', '/v1beta/models/gemini-x:batchEmbedContents'],
  ['gemini', '/v1beta/openai/chat/completions'],
  ['bedrock', '/model/amazon.nova-lite-v1/converse'],
  ['bedrock', '/model/amazon.nova-lite-v1/count-tokens'],
  ['bedrock', '/model/amazon.nova-lite-v1/invoke'],
  ['bedrock', '/model/anthropic.claude-x/invoke-with-response-stream'],
  ['bedrock', '/model/meta.llama3/invoke'],
  ['bedrock', '/model/amazon.titan-text-x/invoke'],
  ['bedrock', '/model/mistral.mistral-large-2407/invoke'],
  ['cohere', '/v1/chat'],
  ['cohere', '/v2/chat'],
  ['cohere', '/v2/embed'],
  ['cohere', '/v2/rerank'],
] as const;

/** Names and values that the readers treat specially. */
const NAMES = [
  ...[
    'model',
    'messages',
    'message',
    'content',
    'contents',
    'parts',
    'role',
    'type',
    'text',
    'system',
    'tools',
  ],
  ...[
    'tool_choice',
    'source',
    'data',
    'input',
    'functionCall',
    'function_response',
    'inlineData',
    'mimeType',
  ],
  ...[
    'generationConfig',
    'maxOutputTokens',
    'toolConfig',
    'toolSpec',
    'inferenceConfig',
    'maxTokens',
    'delta',
  ],
  ...['usage', 'usageMetadata', 'promptTokenCount', 'input_tokens', 'output_tokens', 'candidates', 'choices'],
  ...['thinking', 'image', 'document', 'bytes', 'requests', 'chat_history', 'documents', 'images', 'meta'],
  ...[
    'billed_units',
    'content_block',
    'iterations',
    'cache_creation',
    'finishReason',
    'event_type',
    'response',
  ],
  ...[
    'additionalModelRequestFields',
    'mcp_servers',
    'fallbacks',
    'definition',
    'tool',
    'function',
    'arguments',
  ],
];
const WORDS = [
  'constructor',
  ...[
    '',
    'x',
    'user',
    'assistant',
    'text',
    'tool_use',
    'tool_result',
    'image',
    'base64',
    'url',
    'tool_addition',
  ],
  ...[
    'message_start',
    'message_delta',
    'content_block_start',
    'content_block_delta',
    'text_delta',
    'stream-end',
  ],
  ...['content-delta', 'message-end', 'compaction', 'image/png', 'text/plain', 'data:image/png;base64,AA'],
];

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom(...WORDS, null, true, false, 0, -1, 7, 1e12, 0.5),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('json'), { maxKeys: 6, noNullPrototype: true }),
  ),
}));
const object = fc.dictionary(fc.constantFrom(...NAMES), json, { maxKeys: 10, noNullPrototype: true });

function find(provider: (typeof PATHS)[number][0], path: string): { endpoint: Endpoint; dialect: Dialect } {
  const endpoint = providers[provider].endpoint('POST', path);
  if (endpoint === undefined) throw new Error(`${path} is not readable`);
  return { endpoint, dialect: endpoint.dialect };
}

describe.each(PATHS)('%s %s, given any JSON,', (provider, path) => {
  const { endpoint, dialect } = find(provider, path);

  it('refuses a request, or gives the paths of its texts', () => {
    function check(body: JsonObject) {
      try {
        const facts = dialect.request(body, endpoint);
        for (const { text, path: at, editable } of facts.texts) {
          if (editable === undefined) expect(valueAt(body, at)).toBe(text);
        }
        for (const { remove } of facts.hostedTools) {
          for (const edit of remove) expect(valueAt(body, edit.path)).toBeDefined();
        }
        for (const { role, kind } of facts.texts)
          expect([typeof role, typeof kind]).toEqual(['string', 'string']);
        for (const { mimeType = '' } of facts.media) expect(typeof mimeType).toBe('string');
        expect(facts.choices).toBeGreaterThanOrEqual(1);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
      }
    }
    fc.assert(
      fc.property(object, (body) => check(body)),
      { numRuns: 400 },
    );
    fc.assert(
      fc.property(object, (more) =>
        check({ model: 'm', messages: [], message: 'x', prompt: 'x', inputText: 'x', ...more }),
      ),
      { numRuns: 400 },
    );
  });

  it('reads an answer without throwing, with valid usage', () => {
    fc.assert(
      fc.property(json, (body) => {
        const { usage, texts } = dialect.answer(body);
        for (const { text, path: at, editable } of texts) {
          if (editable === undefined) expect(valueAt(body, at)).toBe(text);
        }
        for (const count of Object.values(usage ?? {})) expect(count).toBeGreaterThanOrEqual(0);
        if (usage?.cacheReadTokens !== undefined) {
          expect(usage.cacheReadTokens).toBeLessThanOrEqual(usage.inputTokens);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('reads a stream’s frames without throwing', () => {
    fc.assert(
      fc.property(fc.array(json, { maxLength: 4 }), (events) => {
        const reader = dialect.stream();
        for (const event of events) {
          const data = JSON.stringify(event);
          const found = reader?.read({ raw: Buffer.from(data), data, event: 'contentBlockDelta' });
          for (const { text, path: at } of found?.deltas ?? []) expect(valueAt(event, at)).toBe(text);
        }
      }),
      { numRuns: 300 },
    );
  });
});
