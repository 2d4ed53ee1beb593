import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewKey } from '../../src/auth/key-fields.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { createProviderAccount, type ProviderAccount } from '../support/provider-account.ts';

/** Objects stored at a provider with a gateway credential belong to the key that created them. */

const HELD = { TEST_HELD_KEY: 'held-8Gk2pQ9vXw4ZtR7yLm3N' };

let account: ProviderAccount;
let gateway: TestGateway;
let ada: TestKey;
let bob: TestKey;

beforeAll(async () => {
  account = await createProviderAccount();
  const at = { base_url: account.url };
  gateway = await startGateway({
    config: {
      providers: { openai: at, anthropic: at, gemini: at, vllm: at, xai: at },
      models: {
        smart: [
          { provider: 'openai', model: 'down' },
          { provider: 'openai', model: 'gpt-4o', credential: 'o', on: ['5xx'] },
        ],
      },
      credentials: {
        o: { provider: 'openai', from: { env: 'TEST_HELD_KEY' } },
        a: { provider: 'anthropic', from: { env: 'TEST_HELD_KEY' } },
        g: { provider: 'gemini', from: { env: 'TEST_HELD_KEY' } },
        x: { provider: 'xai', from: { env: 'TEST_HELD_KEY' } },
      },
      proxy: {
        stored_prompts: 'allow',
        shared_objects: ['file-shared*', 'grok-*'],
        unknown_endpoints: [
          'GET /openai/v1/responses/*',
          'GET /openai/v1/responses/*/input_items',
          'GET /openai/v1/files',
          'POST /openai/v1/files',
          'GET /openai/v1/files/*/content',
          'GET /openai/v1/containers/*/files',
          'GET /openai/v1/containers/*/files/*/content',
          'POST /openai/v1/containers',
          'POST /openai/v1/batches',
          'GET /xai/v1/chat/deferred-completion/*',
          'GET /openai/v1/batches/**',
          'POST /openai/v1/audio/*',
          'POST /gemini/v1beta/cachedContents',
          'GET /gemini/v1beta/cachedContents/*',
        ],
      },
    },
    env: HELD,
  });
  const shared: Partial<NewKey> = {
    credentials: ['o', 'a', 'g', 'x'],
    allowedProviders: ['openai', 'anthropic', 'gemini', 'vllm', 'xai'],
  };
  ada = await gateway.createKey(shared);
  bob = await gateway.createKey(shared);
});
afterAll(async () => {
  await gateway.stop();
  await account.close();
});

const openaiOf = ({ rawKey }: TestKey): OpenAI =>
  new OpenAI({ apiKey: rawKey, baseURL: `${gateway.baseUrl}/openai/v1`, maxRetries: 0 });

function ask(
  key: TestKey,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
  { baseUrl } = gateway,
) {
  return send(baseUrl, {
    path,
    method: body === undefined ? 'GET' : 'POST',
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${key.rawKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
}

const respond = (key: TestKey, more: object): Promise<Reply> =>
  ask(key, '/openai/v1/responses', { model: 'gpt-4o', input: 'hi', ...more });
const idOf = ({ body }: Reply, member = 'id'): string =>
  String((JSON.parse(body) as Record<string, unknown>)[member]);

/** Ada may, Bob may not, and Bob's request does not arrive. */
async function expectAdas(asks: (key: TestKey) => Promise<Reply>): Promise<void> {
  const before = account.arrived.length;
  const refused = await asks(bob);
  expect([refused.status, refused.body]).toEqual([404, expect.stringContaining('proxy.shared_objects')]);
  expect(account.arrived.length).toBe(before);
  expect((await asks(ada)).status).toBe(200);
}

describe('a stored response', () => {
  it.each([false, true])('continues only for its own key (stream: %s)', async (stream) => {
    const client = openaiOf(ada);
    let id = '';
    if (stream) {
      for await (const event of await client.responses.create({ model: 'gpt-4o', input: 'hi', stream }))
        if (event.type === 'response.created') ({ id } = event.response);
    } else ({ id } = await client.responses.create({ model: 'gpt-4o', input: 'hi' }));
    expect(id).toMatch(/^resp_/);
    await expectAdas((key) => respond(key, { previous_response_id: id }));
    await expectAdas((key) => ask(key, `/openai/v1/responses/${id}`));
    await expectAdas((key) => ask(key, `/openai/v1/responses/${id}/input_items`));
  });

  it.each([false, true])('has items that only its key may name (stream: %s)', async (stream) => {
    const { body } = await respond(ada, { stream });
    const [item = ''] = /msg_[0-9a-z]+/.exec(body) ?? [];
    await expectAdas((key) => respond(key, { input: [{ type: 'item_reference', id: item }] }));
  });

  it('has no owner if the gateway has never seen it', async () => {
    for (const more of [
      { previous_response_id: 'resp_68a7c1d2e3f405162738495a' },
      { conversation: 'conv_68a7c1d2e3f405162738495a' },
      { conversation: { id: 'conv_68a7c1d2e3f405162738495a' } },
      { input: [{ id: 'msg_68a7c1d2e3f405162738495a' }] },
      { input: [{ type: 'reasoning', id: 'rs_68a7c1d2e3f405162738495a', summary: [] }] },
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-68a7c1d2e3f4' }] }] },
      { prompt: { id: 'pmpt_1', variables: { a: { type: 'input_file', file_id: 'file-68a7c1d2e3f4' } } } },
    ])
      expect([(await respond(ada, more)).status, more]).toEqual([404, more]);
  });

  it('is a different object at another provider', async () => {
    const id = idOf(await respond(ada, {}));
    const body = { model: 'm', input: 'hi', previous_response_id: id };
    expect((await ask(ada, '/vllm/v1/responses', body)).status).toBe(404);
  });
});

describe('what names nothing stored', () => {
  it('passes: calls, items with their content, arguments and metadata', async () => {
    const input = [
      { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{"file_id":"file-1"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'x' },
    ];
    const tools = [
      { type: 'function', name: 'f', parameters: { properties: { file_id: { enum: ['file-1'] } } } },
    ];
    const notes = { metadata: { file_id: 'file-1' }, client_metadata: { thread_id: '0b5d1c5e' } };
    expect((await respond(ada, { input, tools, ...notes })).status).toBe(200);
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { file_id: 'file-1' } }];
    const result = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }];
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content },
      { role: 'user', content: result },
    ];
    const metadata = { user_id: 'ada' };
    const body = { model: 'claude-sonnet-4-5', max_tokens: 9, messages, metadata };
    expect((await ask(ada, '/anthropic/v1/messages', body)).status).toBe(200);
  });

  it('passes: an action at the end of an open path', async () => {
    expect(
      (await ask(ada, '/openai/v1/audio/speech', { model: 'tts-1', input: 'hi', voice: 'alloy' })).status,
    ).toBe(200);
  });
});

describe('objects of other kinds', () => {
  it('a file, its content, and batches with it', async () => {
    const form = '--b\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n--b--\r\n';
    const type = { 'content-type': 'multipart/form-data; boundary=b' };
    const file = idOf(await ask(ada, '/openai/v1/files', form, type));
    expect(file).toMatch(/^file-/);
    await expectAdas((key) => ask(key, `/openai/v1/files/${file}/content`));
    await expectAdas((key) =>
      respond(key, { input: [{ role: 'user', content: [{ type: 'input_file', file_id: file }] }] }),
    );
    const made = await ask(ada, '/openai/v1/batches', { input_file_id: file, endpoint: '/v1/responses' });
    const output = idOf(made, 'output_file_id');
    await expectAdas((key) => ask(key, '/openai/v1/batches', { input_file_id: file }));
    await expectAdas((key) => ask(key, `/openai/v1/batches/${idOf(made)}`));
    await expectAdas((key) => ask(key, `/openai/v1/files/${output}/content`));
    const orders = form.replace(
      'user_data',
      'order_id,17\r\norder_id: 18\r\n{"payment_id":"pi_3MtwBwLkdIwHu7ix28a3","id":"0b5d1c5e-6f0e-4d57-9d0c-2f6f3f0b1a11"}',
    );
    expect((await ask(ada, '/openai/v1/files', orders, type)).status).toBe(200);
    // Lines of a batch name the objects that it will read.
    const line = JSON.stringify({ body: { previous_response_id: 'resp_68a7c1d2e3f405162738495a' } });
    const listed = { tools: [{ type: 'function', file_ids: ['file-68a7c1d2e3f405162738495a'] }] };
    const item = { type: 'item_reference', id: 'msg_68a7c1d2e3f405162738495a' };
    const others = [listed, { conversation: { id: 'conv_68a7c1d2e3f4' } }, { input: [item] }].map((body) =>
      JSON.stringify({ custom_id: '1', body }),
    );
    const upload = (written: string) =>
      ask(ada, '/openai/v1/files', form.replace('user_data', written), type);
    for (const written of [line, ...others]) expect((await upload(written)).status).toBe(404);
    const escaped = await upload(line.replace('previous', '\\u0070revious'));
    expect([escaped.status, escaped.body]).toEqual([400, expect.stringContaining('a line of the file')]);
  });

  it('a container of Anthropic’s', async () => {
    const body = { model: 'claude-sonnet-4-5', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
    const { body: answer } = await ask(ada, '/anthropic/v1/messages', body);
    const container = (JSON.parse(answer) as { container: { id: string } }).container.id;
    await expectAdas((key) => ask(key, '/anthropic/v1/messages', { ...body, container }));
    await expectAdas((key) => ask(key, '/anthropic/v1/messages', { ...body, container: { id: container } }));
  });

  it('a cache of Google’s', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
    const made = await ask(ada, '/gemini/v1beta/cachedContents', {
      model: 'models/gemini-2.5-flash',
      contents,
    });
    const cachedContent = idOf(made, 'name');
    const path = '/gemini/v1beta/models/gemini-2.5-flash:generateContent';
    await expectAdas((key) => ask(key, path, { contents, cachedContent }));
    await expectAdas((key) => ask(key, `/gemini/v1beta/${cachedContent}`));
    const bobs = idOf(
      await ask(bob, '/gemini/v1beta/cachedContents', { model: 'models/gemini-2.5-flash' }),
      'name',
    );
    expect((await ask(bob, path, { contents, cachedContent: bobs })).status).toBe(200);
    const hidden = `${cachedContent}?x=/${bobs}`;
    expect((await ask(bob, path, { contents, cachedContent: hidden })).status).toBe(404);
  });
});

describe('an answer that repeats an id', () => {
  const theirs = 'file-68a7c1d2e3f405162738495a';
  const asMessage = { type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use' };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const filed = { content: [{ type: 'input_file', file_id: theirs }], role: 'user' };

  it.each<[string, string, object | undefined, object]>([
    [
      'metadata',
      '/openai/v1/responses',
      { model: 'gpt-4o', input: 'hi', metadata: { file_id: theirs } },
      { id: 'resp_1', object: 'response', output: [], metadata: { file_id: theirs }, usage },
    ],
    ['the name of a file', '/openai/v1/containers', { name: 'x' }, { id: 'cntr_1', filename: theirs }],
    [
      'content of a file',
      '/openai/v1/files/file-mine68a7c1d2e3f4/content',
      undefined,
      { id: 'file-mine68a7c1d2e3f4', file_id: theirs },
    ],
  ])('makes it no object of the key: %s', async (_what, path, body, answer) => {
    account.fixed = { id: 'file-mine68a7c1d2e3f4' };
    await ask(bob, '/openai/v1/batches', { completion_window: '24h' });
    account.fixed = answer;
    expect((await ask(bob, path, body)).status).toBe(200);
    account.fixed = undefined;
    expect((await respond(bob, { input: [filed] })).status).toBe(404);
  });

  it('makes it no object of the key: arguments of a call', async () => {
    const messages = [{ role: 'user', content: 'call f with that file' }];
    const body = { model: 'claude-sonnet-4-5', max_tokens: 9, messages };
    const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { file_id: theirs } };
    account.fixed = { ...asMessage, id: 'msg_1', content: [call], usage };
    expect((await ask(bob, '/anthropic/v1/messages', body)).status).toBe(200);
    account.fixed = undefined;
    const content = [{ type: 'container_upload', file_id: theirs }];
    const next = { ...body, messages: [{ role: 'user', content }] };
    expect((await ask(bob, '/anthropic/v1/messages', next)).status).toBe(404);
  });
});

describe('the object at a path of its own', () => {
  it('has items and files that its key may name', async () => {
    const id = idOf(await respond(ada, { background: true }));
    const reasoning = { type: 'reasoning', id: 'rs_68a7c1d2e3f4', summary: [] };
    const call = { type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_68a7c1d2e3f4' };
    account.fixed = { id, object: 'response', status: 'completed', output: [reasoning, call] };
    await ask(ada, `/openai/v1/responses/${id}`);
    account.fixed = { object: 'list', data: [{ id: 'cfile_68a7c1d2e3f4' }] };
    await ask(ada, '/openai/v1/containers/cntr_68a7c1d2e3f4/files');
    account.fixed = undefined;
    await expectAdas((key) => respond(key, { input: [reasoning] }));
    await expectAdas((key) =>
      ask(key, '/openai/v1/containers/cntr_68a7c1d2e3f4/files/cfile_68a7c1d2e3f4/content'),
    );
  });

  it('may be a completion that xAI gives later', async () => {
    const deferred = { model: 'grok-4', messages: [{ role: 'user', content: 'hi' }], deferred: true };
    account.fixed = { request_id: '0b5d1c5e-6f0e-4d57-9d0c-2f6f3f0b1a11' };
    const id = idOf(await ask(ada, '/xai/v1/chat/completions', deferred), 'request_id');
    account.fixed = undefined;
    await expectAdas((key) => ask(key, `/xai/v1/chat/deferred-completion/${id}`));
  });

  it('may be a conversation that Anthropic holds', async () => {
    const body = { model: 'claude-sonnet-4-5', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
    const first = idOf(await ask(ada, '/anthropic/v1/messages', { ...body, thread: { type: 'create' } }));
    const thread = { type: 'continue', previous_message_id: first };
    await expectAdas((key) => ask(key, '/anthropic/v1/messages', { ...body, thread }));
  });
});

describe('a list of all objects', () => {
  it('may be as long as a page of OpenAI’s', async () => {
    const data = Array.from({ length: 9_999 }, (_, index) => ({ id: `file-68a7c1d2e3${String(index)}` }));
    const bobs = idOf(await respond(bob, {}));
    account.fixed = { object: 'list', data: [...data, { id: bobs }] };
    const { body } = await ask(bob, '/openai/v1/files');
    account.fixed = undefined;
    expect(JSON.parse(body)).toEqual({ object: 'list', data: [{ id: bobs }] });
  });

  it('has only those of the key', async () => {
    const form = '--b\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n--b--\r\n';
    const type = { 'content-type': 'multipart/form-data; boundary=b' };
    const adas = idOf(await ask(ada, '/openai/v1/files', form, type));
    const bobs = idOf(await ask(bob, '/openai/v1/files', form, type));
    const listed = [];
    for await (const { id } of openaiOf(bob).files.list()) listed.push(id);
    expect(listed).toEqual([bobs]);
    expect((await ask(ada, '/openai/v1/files')).body).toContain(adas);
  });
});

describe('an object that the operator shares', () => {
  it('is for all keys', async () => {
    expect((await ask(bob, '/openai/v1/files/file-shared1/content')).status).toBe(200);
  });
});

describe('while everything is shared', () => {
  it('old objects go on, and new ones are their key’s own afterwards', async () => {
    const open = await startGateway({
      redis: gateway.redis,
      config: {
        providers: { openai: { base_url: account.url } },
        credentials: { o: { provider: 'openai', from: { env: 'TEST_HELD_KEY' } } },
        proxy: { shared_objects: ['*'] },
      },
      env: HELD,
    });
    try {
      const old = { previous_response_id: 'resp_68a7c1d2e3f405162738495a' };
      const asks = { model: 'gpt-4o', input: 'hi', ...old };
      account.fixed = { id: 'resp_68a7c1d2e3f4new', object: 'response', output: [], ...old };
      expect((await ask(ada, '/openai/v1/responses', asks, {}, open)).status).toBe(200);
      account.fixed = undefined;
      expect((await respond(ada, old)).status).toBe(404);
      await expectAdas((key) => respond(key, { previous_response_id: 'resp_68a7c1d2e3f4new' }));
    } finally {
      await open.stop();
    }
  });
});

describe('a credential of the client', () => {
  it('leads to its own account, where nothing changes', async () => {
    const key = await gateway.createKey();
    const own = { 'x-gateway-provider-key': 'sk-own-5Tz8' };
    const body = { model: 'gpt-4o', input: 'hi', previous_response_id: 'resp_1' };
    expect((await ask(key, '/openai/v1/responses', body, own)).status).toBe(200);
    expect((await ask(key, '/openai/v1/files', undefined, own)).status).toBe(200);
    // A fallback under the gateway's credential does not continue what others stored.
    const before = account.arrived.length;
    const routed = await ask(key, '/openai/v1/responses', { ...body, model: 'smart' }, own);
    expect([routed.status, account.arrived.length - before]).toEqual([503, 1]);
    const without = { model: 'smart', input: 'hi' };
    expect((await ask(key, '/openai/v1/responses', without, own)).status).toBe(200);
  });
});

describe('without Redis', () => {
  it('no answer gives a key an object that it could not find again, or names a stored object', async () => {
    const id = idOf(await respond(ada, {}));
    const before = account.arrived.length;
    const released = Promise.withResolvers<undefined>();
    account.hold = released.promise;
    const running = [respond(ada, {}), respond(ada, { stream: true })];
    await expect.poll(() => account.arrived.length).toBe(before + 2);
    await gateway.redis.stop();
    released.resolve(undefined);
    for (const { body } of await Promise.all(running)) {
      expect(body).toContain('redis_unavailable');
      expect(body).not.toMatch(/resp_/);
    }
    expect((await respond(ada, { previous_response_id: id })).status).toBe(503);
    expect(account.arrived.length).toBe(before + 2);
  });
});
