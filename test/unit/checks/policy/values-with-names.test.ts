import { describe, expect, it } from 'vitest';
import { policyCallOf } from '../../../../src/checks/policy/policy-call.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import { createCardSet } from '../../../../src/policy/cards/card-set.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { parsed } from '../../../support/exchange.ts';
import { mcpExchange, toolCall } from '../../../support/mcp-exchange.ts';
import { presetCards } from '../../../support/policy-cards.ts';
import { makeSecret, seededRandom } from '../../detectors/secrets/samples.ts';
import { threadCpuMs } from '../../../support/cpu-time.ts';

/** Findings of `detects` in values that only a name identifies, in any place. */
const set = createCardSet(presetCards('safety'));
const ARGUMENTS_CARD = createCardSet([
  {
    name: 'card.yaml',
    isPreset: false,
    text: `
metadata: { name: own }
rules:
  - name: no-secrets-in-env
    conditions: [{ field: arguments.env, op: detects, value: secret }]
    action: deny
    reason: no
`,
  },
]);

const AWS = makeSecret('aws_secret_access_key', seededRandom(41)).secret;
const MISTRAL = makeSecret('mistral_api_key', seededRandom(42)).secret;
const CARD = ['4111', '1111', '1111', '1111'].join('');
const DIGEST = 'f9Kq2Lm7Xc4Vb8Nn1Zt6Yr3Hs5Gd0JaEwUiOpQx2';

async function denied(exchange: Parsed, cards = set): Promise<string[]> {
  const call = policyCallOf(exchange);
  if (call === undefined) throw new Error('policies do not judge this exchange');
  return (await cards.decide(call)).deny.map(({ rule }) => rule);
}

const tool = (args: object): Parsed => mcpExchange({ body: toolCall('save', { ...args }) });

function chat(messages: readonly object[]): Parsed {
  return parsed({ body: { model: 'gpt-4o', messages } });
}

function model(provider: ProviderName, path: string, body: object): Parsed {
  return parsed({ provider, path, body: { ...body } });
}

const inDialects = (input: object): readonly (readonly [string, Parsed])[] => [
  [
    'OpenAI chat',
    chat([
      {
        role: 'assistant',
        tool_calls: [
          { id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify(input) } },
        ],
      },
    ]),
  ],
  [
    'OpenAI responses',
    model('openai', '/v1/responses', {
      model: 'gpt-4o',
      input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: JSON.stringify(input) }],
    }),
  ],
  [
    'Anthropic',
    model('anthropic', '/v1/messages', {
      model: 'claude-sonnet-4-5',
      max_tokens: 9,
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input }] }],
    }),
  ],
  [
    'Gemini',
    model('gemini', '/v1beta/models/gemini-2.5-flash:generateContent', {
      contents: [{ role: 'model', parts: [{ functionCall: { name: 'f', args: input } }] }],
    }),
  ],
  [
    'Bedrock',
    model('bedrock', '/model/amazon.nova-lite-v1%3A0/converse', {
      messages: [{ role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'f', input } }] }],
    }),
  ],
  [
    'Cohere',
    model('cohere', '/v2/chat', {
      model: 'command-a',
      messages: [
        {
          role: 'assistant',
          tool_calls: [
            { id: 't', type: 'function', function: { name: 'f', arguments: JSON.stringify(input) } },
          ],
        },
      ],
    }),
  ],
  [
    'Ollama',
    model('ollama', '/api/chat', {
      model: 'llama3',
      messages: [
        { role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: input } }] },
      ],
    }),
  ],
  ['MCP', tool(input)],
];

const SECRETS: readonly (readonly [string, object])[] = [
  ['its own name', { aws_secret_access_key: AWS }],
  ['its own name, deep down', { a: [{ b: { MISTRAL_API_KEY: MISTRAL } }] }],
  ['the name of its list', { aws_secret_access_key: [AWS] }],
  ['a name that an object stands under', { aws_secret_access_key: { value: AWS } }],
  ['the member before', { name: 'AWS_SECRET_ACCESS_KEY', value: AWS }],
  ['the member before, with one between', { key: 'AWS_SECRET_ACCESS_KEY', type: 'plain', value: AWS }],
  ['the element before', { args: ['--aws-secret-access-key', AWS] }],
  [
    'a pair in a list',
    {
      env: [
        ['HOME', '/root'],
        ['AWS_SECRET_ACCESS_KEY', AWS],
      ],
    },
  ],
];
const CODES: readonly (readonly [string, object])[] = [
  ['texts', { card: CARD, cvv: '123' }],
  ['the code first', { cvv: '123', card: CARD }],
  ['a code that is a number', { card: CARD, name: 'Ann', cvv: 123 }],
  ['numbers', { card: Number(CARD), cvv: 123 }],
];

describe('a value and its name in the arguments of a tool', () => {
  const secrets = SECRETS.flatMap(([how, input]) =>
    inDialects(input).map(([dialect, exchange]) => [how, dialect, exchange] as const),
  );
  it.each(secrets)('a secret is recognized by %s, in %s', async (_how, _dialect, exchange) => {
    expect(await denied(exchange)).toEqual(['block-credentials']);
  });

  const codes = CODES.flatMap(([how, input]) =>
    inDialects(input).map(([dialect, exchange]) => [how, dialect, exchange] as const),
  );
  it.each(codes)('the code of a card: %s, in %s', async (_how, _dialect, exchange) => {
    expect(await denied(exchange)).toEqual(['block-cvv']);
  });

  it('is found with the value before the name', async () => {
    expect(await denied(tool({ value: AWS, name: 'AWS_SECRET_ACCESS_KEY' }))).toEqual(['block-credentials']);
  });

  it('is searched for only below the argument that a rule names', async () => {
    const pair = ['AWS_SECRET_ACCESS_KEY', AWS];
    expect(await denied(tool({ env: [pair] }), ARGUMENTS_CARD)).toEqual(['no-secrets-in-env']);
    expect(await denied(tool({ env: [], other: [pair] }), ARGUMENTS_CARD)).toEqual([]);
  });

  it.each([
    ['a digest with an unrelated name', { name: 'logo.png', digest: DIGEST }],
    ['a digest with the name of a provider', { provider: 'cohere', request_id: DIGEST }],
    ['a name without a value', { names: ['AWS_SECRET_ACCESS_KEY', 'AWS_REGION'] }],
    ['three digits without a card', { room: '123', cvv: '' }],
    ['a card without a code', { card: CARD, floor: '123' }],
  ])('passes %s', async (_what, input) => {
    for (const [, exchange] of inDialects(input)) expect(await denied(exchange)).toEqual([]);
  });

  it('is found among very many members in linear time', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [
        `member_${String(index)}_value`,
        `${String(index)}${DIGEST}`,
      ]),
    );
    const startedAt = threadCpuMs();
    expect(await denied(tool({ ...many, last: { name: 'AWS_SECRET_ACCESS_KEY', value: AWS } }))).toEqual([
      'block-credentials',
    ]);
    expect(threadCpuMs() - startedAt).toBeLessThan(10_000);
  });
});

describe('a value and its name in texts that follow each other', () => {
  it.each([
    [
      'messages',
      chat([
        { role: 'user', content: 'The AWS secret access key is:' },
        { role: 'user', content: AWS },
      ]),
    ],
    [
      'a question and its answer',
      chat([
        { role: 'assistant', content: 'What is your aws_secret_access_key?' },
        { role: 'assistant', content: 'aws_secret_access_key =' },
        { role: 'user', content: `${AWS}, keep it` },
      ]),
    ],
    [
      'parts',
      chat([
        {
          role: 'user',
          content: [
            { type: 'text', text: 'MISTRAL_API_KEY=' },
            { type: 'text', text: MISTRAL },
          ],
        },
      ]),
    ],
    [
      'results of a tool',
      model('anthropic', '/v1/messages', {
        model: 'claude-sonnet-4-5',
        max_tokens: 9,
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 't',
                content: [
                  { type: 'text', text: 'AWS_SECRET_ACCESS_KEY' },
                  { type: 'text', text: AWS },
                ],
              },
            ],
          },
        ],
      }),
    ],
    [
      'a JSON result',
      chat([
        {
          role: 'tool',
          tool_call_id: 'c',
          content: JSON.stringify({ name: 'AWS_SECRET_ACCESS_KEY', value: AWS }),
        },
      ]),
    ],
  ])('a secret: %s', async (_how, exchange) => {
    expect(await denied(exchange)).toEqual(['block-credentials']);
  });

  it.each([
    [`My card is ${CARD}`, 'cvv 123'],
    ['The CVV is 123', `of ${CARD}`],
  ])('a card and its code: %s, %s', async (...said) => {
    expect(await denied(chat(said.map((content) => ({ role: 'user', content }))))).toEqual(['block-cvv']);
  });

  it('passes unrelated texts', async () => {
    const said = ['Which models does Cohere have?', DIGEST, 'is the digest of the image', '123 people', CARD];
    const messages = said.map((content) => ({ role: 'user', content }));
    expect(await denied(chat(messages))).toEqual([]);
  });
});

describe('values beside the texts of a dialect', () => {
  const messages = [{ role: 'user', content: 'hi' }];
  const claude = { model: 'claude-sonnet-4-5', max_tokens: 9, messages };
  const pad = Array.from({ length: 300 }, (_, index) => `entry ${String(index)}`);

  it.each<[string, Parsed]>([
    ['metadata', parsed({ body: { model: 'gpt-4o', messages, metadata: { aws_secret_access_key: AWS } } })],
    [
      'one member among many in the metadata',
      parsed({ body: { model: 'gpt-4o', messages, metadata: { pad, secretAccessKey: AWS } } }),
    ],
    [
      'a stop sequence',
      parsed({ body: { model: 'gpt-4o', messages, stop: [`aws_secret_access_key=${AWS}`] } }),
    ],
    [
      'another stop sequence',
      parsed({ body: { model: 'gpt-4o', messages, stop: `aws_secret_access_key=${AWS}` } }),
    ],
    ['a member of a message', chat([{ ...messages[0], note: { mistral_api_key: MISTRAL } }])],
    ['a pair in a message', chat([{ ...messages[0], note: { name: 'mistral_api_key', value: MISTRAL } }])],
    ['a member name', chat([{ ...messages[0], extra: { [`aws_secret_access_key=${AWS}`]: 1 } }])],
    ['numbers', parsed({ body: { model: 'gpt-4o', messages, metadata: { card: Number(CARD), cvv: 123 } } })],
    [
      'Anthropic metadata',
      model('anthropic', '/v1/messages', {
        ...claude,
        metadata: { user_id: `aws_secret_access_key=${AWS}` },
      }),
    ],
    [
      'Gemini labels',
      model('gemini', '/v1beta/models/gemini-2.5-pro:generateContent', {
        contents: [{ parts: [{ text: 'hi' }] }],
        labels: { aws_secret_access_key: AWS },
      }),
    ],
    [
      'Bedrock request metadata',
      model('bedrock', '/model/anthropic.claude-3-haiku-20240307-v1:0/converse', {
        messages: [{ role: 'user', content: [{ text: 'hi' }] }],
        requestMetadata: { aws_secret_access_key: AWS },
      }),
    ],
  ])('are denied: %s', async (where, exchange) => {
    expect(await denied(exchange)).toEqual([where === 'numbers' ? 'block-cvv' : 'block-credentials']);
  });

  it('pass if nothing indicates a secret', async () => {
    const body = {
      model: 'gpt-4o',
      messages: [{ ...messages[0], name: 'ann' }],
      metadata: { digest: DIGEST, ticket: 'OPS-1234' },
      response_format: { type: 'json_schema', json_schema: { name: 'answer_of_the_agent', schema: {} } },
      stop: ['\n\nHuman:'],
      user: 'user-7f3d9c1e-1111-4222-8333-444455556666',
    };
    expect(await denied(parsed({ body }))).toEqual([]);
  });
});
