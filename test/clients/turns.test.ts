import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ProviderName, providers } from '../../src/providers/registry.ts';
import { makeCalls } from '../support/clients/calls.ts';
import { startClientsRig, type ClientsRig } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import { npm, pypi, type ClientRecipe } from '../support/clients/recipe.ts';
import { CLIENTS } from './versions.ts';
import { onLoopback } from '../support/loopback.ts';

/**
 * Conversations of two turns in which DLP holds back whole pieces: clients send back what they keep of a stream.
 */

const MAIL = 'jane.doe@mail.example.com';
/** Words, a number and an address, cut where they are held back. */
const PIECES = [
  'Hello',
  ' there',
  ', it',
  ' is 4539',
  ' 1488',
  ' or ',
  'jane.d',
  'oe@mail.exam',
  'ple.com',
  '.',
];
const SAID = 'Hello there, it is 4539 1488 or ***.';
const THOUGHTS = ['I', ' should', ' look'];

interface Sent {
  readonly url: string;
  readonly body: string;
}

const gemini = (text: string, more: object = {}): object => ({
  candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 9, totalTokenCount: 12 },
  modelVersion: 'gemini-2.5-flash',
});
const chunk = (delta: object, finish: string | null = null): object => ({
  ...{ id: 'c1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'gpt-4o' },
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** The provider's output: first reasoning, text and a call, then, with the tool's result, only text. */
function eventsFor({ url, body }: Sent): readonly object[] {
  const last = PIECES.length - 1;
  if (url.includes('streamGenerateContent')) {
    return PIECES.map((text, at) => gemini(text, at === last ? { finishReason: 'STOP' } : {}));
  }
  const words = PIECES.map((content) => chunk({ content }));
  const usage = { prompt_tokens: 3, completion_tokens: 9, total_tokens: 12 };
  const counts = { ...chunk({}), choices: [], usage };
  const { messages, model } = JSON.parse(body) as { model: string; messages: { role: string }[] };
  const start = chunk({ role: 'assistant', content: '' });
  if (messages.at(-1)?.role !== 'user') return [start, ...words, chunk({}, 'stop'), counts];
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } };
  // xAI sends calls whole.
  const isWhole = model.startsWith('grok');
  const callChunks = isWhole
    ? [chunk({ tool_calls: [{ ...call, function: { ...call.function, arguments: '{}' } }] })]
    : [chunk({ tool_calls: [call] }), chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] })];
  return [
    start,
    ...THOUGHTS.map((reasoning_content) => chunk({ reasoning_content })),
    ...words.slice(0, -1),
    ...callChunks,
    chunk({}, 'tool_calls'),
    counts,
  ];
}

const FIRST = ['reasoning: I should look', `text: ${SAID.slice(0, -1)}`, 'call: look', `text: ${SAID}`];
const ai6 = npm('ai', '6.0.326', [
  ...['@ai-sdk/xai@3.0.138', '@ai-sdk/deepseek@2', '@ai-sdk/openai-compatible@2', 'zod@4.6.7'],
]);
const ai7 = npm('ai', '7.0.173', [
  ...['@ai-sdk/xai@4.0.59', '@ai-sdk/deepseek@3', '@ai-sdk/openai-compatible@3', 'zod@4.6.7'],
]);

interface Row {
  readonly client: ClientRecipe;
  readonly script: string;
  readonly calls: readonly (readonly [call: string, provider: ProviderName, said: unknown])[];
}

const TWICE = [SAID, SAID];
const ROWS: readonly Row[] = [
  ...['1.20.0', '1.45.0', '1.75.0', '2.34.0'].map((version) => ({
    client: pypi('google-genai', version),
    script: 'turns.py',
    calls: [['google_chat', 'gemini', TWICE] as const],
  })),
  ...CLIENTS.googleJs.map((client) => ({
    client,
    script: 'turns.mjs',
    calls: [['google_chat', 'gemini', TWICE] as const],
  })),
  { client: pypi('google-adk', '2.13.0'), script: 'turns.py', calls: [['adk', 'gemini', TWICE]] },
  ...CLIENTS.strands.map((client) => ({
    client,
    script: 'turns.py',
    calls: [['strands', 'openai', TWICE] as const],
  })),
  ...[ai6, ai7].map((client) => ({
    client,
    script: 'turns.mjs',
    calls: [
      ['ai_xai', 'xai', [FIRST, FIRST]] as const,
      ['ai_deepseek', 'deepseek', [FIRST, FIRST]] as const,
      ['ai_compatible', 'openai', [FIRST, FIRST]] as const,
    ],
  })),
];

describe('two turns through other makers’ clients', () => {
  const sent: Sent[] = [];
  const provider = createServer((request, response) => {
    void textOf(request).then((body) => {
      const one = { url: request.url ?? '', body };
      sent.push(one);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const events = eventsFor(one).map((event) => `data: ${JSON.stringify(event)}\n\n`);
      response.end([...events, ...(one.url.includes('gemini') ? [] : ['data: [DONE]\n\n'])].join(''));
    });
  });
  let closeProvider: () => Promise<void>;
  let rig: ClientsRig;
  beforeAll(async () => {
    const { url: origin, close } = await onLoopback(provider);
    closeProvider = close;
    const at = (name: ProviderName): { base_url: string } => ({
      base_url: origin + new URL(providers[name].defaultBaseUrl ?? '').pathname.replace(/\/$/, ''),
    });
    rig = await startClientsRig({
      config: {
        server: { dlp: { enabled: true } },
        providers: Object.fromEntries(
          (['gemini', 'openai', 'xai', 'deepseek'] as const).map((name) => [name, at(name)]),
        ),
      },
    });
  });
  afterAll(async () => {
    await rig.close();
    await closeProvider();
  });

  for (const { client, script, calls } of ROWS) {
    describeClient(client, (installed) => {
      it.each(calls)('%s of %s keeps the content, in order', async (name, of, said) => {
        sent.length = 0;
        const outcomes = await makeCalls(installed(), script, await rig.through(of, { auth: 'path' }), [
          name,
        ]);
        expect(outcomes[name]).toEqual({ value: said });
        // The second turn contains the first, as the provider would accept it.
        const history = sent.at(-1)?.body ?? '';
        expect(history).toContain('and then?');
        expect(history).toContain('***');
        expect(history).not.toMatch(/"text":\s*""/);
        expect(history).not.toContain(MAIL);
        if (of === 'gemini') expect(sent).toHaveLength(2);
      });
    });
  }
});
