import { describe, expect, it } from 'vitest';
import { mcpMessages } from '../../../../src/mcp/dialect.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import { makeSecret, seededRandom } from '../../detectors/secrets/samples.ts';
import { AWS_KEY, CARD, dlp, EMAIL, judgeRequest, parsed, PHONE, SSN, type RequestInput } from './rig.ts';

const AWS_SECRET = makeSecret('aws_secret_access_key', seededRandom(2)).secret;

const user = (content: unknown): Record<string, unknown> => ({ messages: [{ role: 'user', content }] });

async function masked(input: RequestInput): Promise<unknown> {
  const { body } = await judgeRequest(dlp({ requests: 'mask' }), parsed(input));
  return body === undefined ? undefined : (JSON.parse(body) as unknown);
}

describe('server.dlp.requests: mask', () => {
  it('removes a client header with a finding, and no other', async () => {
    const headers = new Map([
      ['user-agent', `tool/1 (${EMAIL})`],
      ['accept', 'application/json'],
    ]);
    const exchange = { ...parsed({ body: user('Hello') }), headers };
    await judgeRequest(dlp({ requests: 'mask' }), exchange);
    expect(exchange.withheldHeaders).toEqual(new Set(['user-agent']));
  });

  it.each([
    ['a user’s text', user(`I am ${EMAIL}`), user('I am ***')],
    ['a content part', user([{ type: 'text', text: AWS_KEY }]), user([{ type: 'text', text: '***' }])],
    [
      'arguments of an earlier call',
      {
        messages: [
          { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: `{"n":${CARD}}` } }] },
        ],
      },
      {
        messages: [
          { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{"n":"***"}' } }] },
        ],
      },
    ],
    [
      'the result of a tool',
      { messages: [{ role: 'tool', tool_call_id: 'c', content: `{"ssn":"${SSN}"}` }] },
      { messages: [{ role: 'tool', tool_call_id: 'c', content: '{"ssn":"***"}' }] },
    ],
    [
      'the definition of a tool',
      { tools: [{ type: 'function', function: { name: 'f', description: `ask ${PHONE}` } }] },
      { tools: [{ type: 'function', function: { name: 'f', description: 'ask ***' } }] },
    ],
    [
      'members beside the messages',
      { user: EMAIL, metadata: { who: EMAIL } },
      { user: '***', metadata: { who: '***' } },
    ],
    ['numbers', { metadata: { n: Number(CARD) } }, { metadata: { n: '***' } }],
  ])('masks %s', async (_place, body, expected) => {
    expect(await masked({ body })).toEqual({ model: 'gpt-4o', messages: [], ...expected });
  });

  it.each([
    ['the member beside it', { metadata: { name: 'AWS_SECRET_ACCESS_KEY', value: AWS_SECRET } }],
    ['the member after it', { metadata: { value: AWS_SECRET, name: 'AWS_SECRET_ACCESS_KEY' } }],
    [
      'a member with another one between',
      { metadata: { name: 'AWS_SECRET_ACCESS_KEY', type: 'x', value: AWS_SECRET } },
    ],
    ['the enclosing object', { metadata: { aws_secret_access_key: { value: AWS_SECRET } } }],
    ['a name in a message', { messages: [{ role: 'user', note: { aws_secret_access_key: AWS_SECRET } }] }],
    [
      'a pair in a message',
      { messages: [{ role: 'user', note: { name: 'AWS_SECRET_ACCESS_KEY', value: AWS_SECRET } }] },
    ],
    ['the element before it', { metadata: { args: ['--aws-secret-access-key', AWS_SECRET] } }],
    [
      'the message before it',
      {
        messages: [
          { role: 'user', content: 'My aws_secret_access_key:' },
          { role: 'user', content: AWS_SECRET },
        ],
      },
    ],
    [
      'the part before it',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'AWS_SECRET_ACCESS_KEY=' },
              { type: 'text', text: AWS_SECRET },
            ],
          },
        ],
      },
    ],
  ])('masks a secret recognized by %s', async (_how, body) => {
    const expected = JSON.parse(JSON.stringify(body).replace(AWS_SECRET, '***')) as object;
    expect(await masked({ body })).toEqual({ model: 'gpt-4o', messages: [], ...expected });
  });

  it('does not mask a digest beside an unrelated name', async () => {
    const body = { metadata: { provider: 'cohere', id: AWS_SECRET, args: ['logo.png', AWS_SECRET] } };
    expect(await masked({ body })).toMatchObject(body);
  });

  it.each([
    ['a member that usually has bytes', 'data', ''],
    ['a data URL', 'anything', 'data:text/plain;base64,'],
  ])('masks a secret in long Base64 in %s, and leaves a picture there', async (_where, name, prefix) => {
    const settings = Buffer.from(`${'LOG_LEVEL=info\n'.repeat(60)}KEY=${AWS_KEY}\n`).toString('base64');
    expect(await masked({ body: { metadata: { [name]: prefix + settings } } })).toMatchObject({
      metadata: { [name]: `${prefix}***` },
    });
    const picture = Buffer.from(`\x89PNG\r\n${AWS_KEY}${'\0'.repeat(900)}`, 'latin1').toString('base64');
    const body = { metadata: { [name]: prefix + picture } };
    expect(await masked({ body })).toMatchObject(body);
  });

  it('masks nested members of other dialects', async () => {
    const input = { type: 'tool_use', id: 't', name: 'f', input: { to: EMAIL, n: Number(CARD) } };
    expect(
      await masked({
        provider: 'anthropic',
        path: '/v1/messages',
        body: {
          model: 'claude-sonnet-4-5',
          max_tokens: 5,
          messages: [{ role: 'assistant', content: [input] }],
        },
      }),
    ).toMatchObject({ messages: [{ content: [{ ...input, input: { to: '***', n: '***' } }] }] });
  });

  it('leaves every other byte, and a clean request, unchanged', async () => {
    const text = (words: string): string =>
      `{ "model":"gpt-4o","messages" :[{"role":"user","content":"${words}","name":"\\u00e9"} ] }`;
    const rig = dlp({ requests: 'mask' });
    expect((await judgeRequest(rig, parsed({ text: text(EMAIL) }))).body).toBe(text('***'));
    const clean = await judgeRequest(rig, parsed({ text: text('fine') }));
    expect([clean.verdict, clean.body]).toEqual([{ kind: 'pass' }, text('fine')]);
  });

  it('reports the classes, and sets no header of the answer', async () => {
    const rig = dlp({ requests: 'mask' });
    const exchange = parsed({ body: user(`${EMAIL} ${AWS_KEY}`) });
    const { verdict } = await judgeRequest(rig, exchange);
    expect(verdict).toMatchObject({
      kind: 'rewrite',
      reason: 'masked in the request: email (email_address), secret (aws_access_key_id)',
    });
    expect([...exchange.responseHeaders]).toEqual([]);
    expect(rig.classes).toEqual([
      { class: 'secret', side: 'request', action: 'mask' },
      { class: 'email', side: 'request', action: 'mask' },
    ]);
    expect(rig.leaks).toEqual([]);
  });

  it.each([
    ['a member name', { metadata: { [EMAIL]: 'x' } }],
    ['the model', { model: EMAIL }],
    [
      'a file in Base64',
      user([
        {
          type: 'file',
          file: {
            filename: 'a.txt',
            file_data: `data:text/plain;base64,${Buffer.from(`mail ${EMAIL}`).toString('base64')}`,
          },
        },
      ]),
    ],
  ])('denies a finding that cannot be masked: %s', async (_place, body) => {
    const rig = dlp({ requests: 'mask' });
    const { verdict } = await judgeRequest(rig, parsed({ body }));
    expect(rig.classes).toEqual([{ class: 'email', side: 'request', action: 'deny' }]);
    expect(verdict).toMatchObject({
      kind: 'deny',
      type: 'policy_denied',
      message: expect.stringMatching(
        /^the request contains email addresses in a part that cannot be masked/,
      ) as string,
    });
  });

  it('masks in the same way in every turn, and searches clean history once', async () => {
    const rig = dlp({ requests: 'mask' });
    const history = [
      { role: 'system', content: `${'You help with orders. '.repeat(40)}` },
      { role: 'user', content: `${'I would like to order. '.repeat(40)} ${EMAIL}` },
    ];
    const turn = (more: object[]): Parsed => parsed({ body: { messages: [...history, ...more] } });
    const first = await judgeRequest(rig, turn([]));
    const second = await judgeRequest(rig, turn([{ role: 'user', content: 'And?' }]));
    const messages = (body: string | undefined): unknown[] =>
      (JSON.parse(body ?? '') as { messages: unknown[] }).messages;
    expect(messages(second.body).slice(0, 2)).toEqual(messages(first.body));
  });
});

describe('server.dlp.requests: deny', () => {
  it('refuses with the classes, without lock or score', async () => {
    const rig = dlp({ enabled: false, requests: 'deny' });
    const { verdict } = await judgeRequest(rig, parsed({ body: user(`${AWS_KEY} ${EMAIL}`) }));
    const reason = 'the request contains secrets, email addresses: leave them out';
    expect(verdict).toEqual({
      kind: 'deny',
      type: 'policy_denied',
      message: reason,
      headers: { 'x-gateway-dlp-block': 'true' },
      details: { reason, rule: 'dlp' },
      findings: [
        { finding: 'aws_access_key_id', class: 'secret' },
        { finding: 'email_address', class: 'email' },
      ].map((one) => ({
        rule: 'dlp',
        detector: one.class === 'email' ? 'email' : 'secrets',
        ...one,
        place: 'messages[0]',
        role: 'user',
        kind: 'text',
      })),
    });
    expect(rig.leaks).toEqual([]);
    expect(rig.classes.map(({ action }) => action)).toEqual(['deny', 'deny']);
  });

  it('passes a clean request', async () => {
    const { verdict } = await judgeRequest(dlp({ requests: 'deny' }), parsed({ body: user('hello') }));
    expect(verdict).toEqual({ kind: 'pass' });
  });
});

describe('calls of MCP servers', () => {
  function call(params: object, more: object = {}): Parsed {
    const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params, ...more };
    const exchange = parsed({});
    return {
      ...exchange,
      body: Buffer.from(JSON.stringify(message)),
      json: message,
      mcp: { server: 's', form: 'tools_call' },
      request: mcpMessages.request(message, exchange.endpoint),
    };
  }

  it('are masked in their arguments', async () => {
    const exchange = call({ name: 'mail', arguments: { to: EMAIL, deep: [{ n: Number(CARD) }] } });
    const { body } = await judgeRequest(dlp({ requests: 'mask' }), exchange);
    expect(JSON.parse(body ?? '')).toEqual({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'mail', arguments: { to: '***', deep: [{ n: '***' }] } },
    });
  });

  it.each([
    ['a tool name', call({ name: EMAIL, arguments: {} })],
    ['an id', call({ name: 'mail', arguments: {} }, { id: EMAIL })],
    [
      'a value that the client must return to the server',
      call({ name: 'mail', arguments: {}, requestState: EMAIL }),
    ],
  ])('are denied if a mask would change their meaning: %s', async (_place, exchange) => {
    const { verdict } = await judgeRequest(dlp({ requests: 'mask' }), exchange);
    expect(verdict).toMatchObject({ kind: 'deny', type: 'policy_denied' });
  });

  it('are denied with the tool’s name for the agent to read', async () => {
    const { verdict } = await judgeRequest(
      dlp({ requests: 'deny' }),
      call({ name: 'mail', arguments: { to: EMAIL } }),
    );
    expect(verdict).toMatchObject({
      details: {
        toolName: 'mail',
        rule: 'dlp',
        reason: 'the request contains email addresses: leave them out',
      },
    });
  });
});
