import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ConfigInput } from '../../src/config/schema.ts';
import { configText, DEFAULT_ANSWERS } from '../../src/init/files.ts';
import { quarantineKey, riskProfileKey } from '../../src/redis/keys.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import type { Reply } from '../support/http.ts';
import { createRawProvider, type RawProvider } from '../support/raw-provider.ts';
import { loggedLine } from '../support/log-lines.ts';
import { askWith } from '../support/ask-provider.ts';

/** docs/credentials.md, with the file that `gateway init` writes. */
const written = parse(configText(DEFAULT_ANSWERS)) as ConfigInput;

const ENV =
  'REDIS_ADDR=redis:6379\nREDIS_PASSWORD=8fA2kd93JmQx\nREDIS_URL=redis://app:8fA2kd93JmQx@redis:6379/0\n';
const MASKED_ENV = 'REDIS_ADDR=redis:6379\nREDIS_PASSWORD=***\nREDIS_URL=redis://app:***@redis:6379/0\n';
const CHAT = '/openai/v1/chat/completions';
const MESSAGES = '/anthropic/v1/messages';
const MCP = '/mcp/files/tools/call';

let provider: RawProvider;
let gateway: TestGateway;
/** With defaults instead of `init`'s settings. */
let unset: TestGateway;
let key: TestKey;

beforeAll(async () => {
  provider = await createRawProvider();
  const config = (more: ConfigInput): ConfigInput => ({
    ...more,
    providers: { openai: { base_url: provider.url }, anthropic: { base_url: provider.url } },
    mcp: { ...more.mcp, enabled: true, servers: [{ name: 'files', url: provider.url }] },
  });
  const { server, mcp, policy } = written;
  gateway = await startGateway({
    config: config({
      ...(server?.dlp && { server: { dlp: server.dlp } }),
      ...(mcp && { mcp }),
      ...(policy && { policy }),
    }),
  });
  unset = await startGateway({
    redis: gateway.redis,
    config: config({ server: { dlp: { enabled: true, requests: 'mask' } } }),
  });
});
afterAll(async () => {
  await unset.stop();
  await gateway.stop();
  await provider.close();
});
beforeEach(async () => {
  key = await gateway.createKey({ allowedProviders: ['openai', 'anthropic'] });
});

function ask(path: string, content: string, target = gateway): Promise<Reply> {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'read', arguments: { content } },
  };
  const model = path === MESSAGES ? 'claude-sonnet-4-5' : 'gpt-4o';
  const question = { model, max_tokens: 100, messages: [{ role: 'user', content }] };
  return askWith(target, key.rawKey, path, path === MCP ? call : question, {
    accept: path === MCP ? 'application/json, text/event-stream' : 'application/json',
  });
}

async function expectNeitherLockNorScore(): Promise<void> {
  const { client } = gateway.redis;
  expect(await client.exists(quarantineKey(key.keyHash))).toBe(0);
  expect(await client.hget(riskProfileKey(key.keyHash), 'risk_score')).toBeNull();
}

const WHOLE = {
  [CHAT]: (text: string) =>
    JSON.stringify({
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
    }),
  [MESSAGES]: (text: string) =>
    JSON.stringify({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 5, output_tokens: 7 },
    }),
} as const;

const PIECE = {
  [CHAT]: (text: string) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`,
  [MESSAGES]: (text: string) =>
    `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`,
} as const;

const AROUND = {
  [CHAT]: ['', 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'],
  [MESSAGES]: [
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}\n\n' +
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n' +
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}\n\n' +
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
} as const;

/** All text of a stream. */
function said(body: string): string {
  return [...body.matchAll(/"(?:content|text)":"((?:[^"\\]|\\.)*)"/g)]
    .map(([, text]) => JSON.parse(`"${text ?? ''}"`) as string)
    .join('');
}

describe.each([CHAT, MESSAGES] as const)('credentials in answers of %s', (path) => {
  it('are masked, only the value', async () => {
    provider.answer({ body: WHOLE[path](ENV) });
    const reply = await ask(path, 'hi');
    expect([reply.status, reply.body]).toEqual([200, WHOLE[path](MASKED_ENV)]);
    expect(reply.headers['x-gateway-dlp-redacted']).toBe('true');
    await expectNeitherLockNorScore();
  });

  it.each([1, 2, 3, 7, 19])('are masked in a stream, in pieces of %i characters', async (size) => {
    const pieces = ENV.match(new RegExp(`[^]{1,${String(size)}}`, 'g')) ?? [];
    const [first, last] = AROUND[path];
    const headers = { 'content-type': 'text/event-stream' };
    provider.answer({ headers, body: first + pieces.map(PIECE[path]).join('') + last });
    const reply = await ask(path, 'hi');
    expect(said(reply.body)).toBe(MASKED_ENV);
    expect(reply.body).toContain('\n: x-gateway-dlp-redacted=true\n');
    await expectNeitherLockNorScore();
  });
});

describe.each([CHAT, MESSAGES] as const)('credentials in requests to %s', (path) => {
  it('do not reach the provider; everything else does', async () => {
    provider.answer({ body: WHOLE[path]('Fine.') });
    const reply = await ask(path, `${ENV}Ask at 10.1.2.3.`);
    expect(reply.status).toBe(200);
    const { messages } = JSON.parse(provider.requests.at(-1)?.body ?? '') as { messages: unknown[] };
    expect(messages).toEqual([{ role: 'user', content: `${MASKED_ENV}Ask at 10.1.2.3.` }]);
    await expectNeitherLockNorScore();
  });
});

describe('credentials in the answers of MCP servers', () => {
  const result = (text: string): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } });

  it.each([
    ['a file of variables', ENV, MASKED_ENV],
    ['what Redis says of itself', '1) "requirepass"\n2) "8fA2kd93JmQx"', '1) "requirepass"\n2) "***"'],
    ['a document', '{"redis": {"password": "8fA2kd93JmQx"}}', '{"redis": {"password": "***"}}'],
    ['its configuration', 'requirepass 8fA2kd93JmQx\nport 6379\n', 'requirepass ***\nport 6379\n'],
  ])('are masked in place: %s', async (_, text, masked) => {
    provider.answer({ body: result(text) });
    const reply = await ask(MCP, 'settings');
    expect([reply.status, JSON.parse(reply.body)]).toEqual([200, JSON.parse(result(masked))]);
    expect(reply.headers['x-gateway-response-redacted']).toBe('true');
    await expectNeitherLockNorScore();
  });

  it('are masked in values of structured content, and in streams', async () => {
    const content = { structuredContent: { user: 'app', password: '8fA2kd93JmQx' }, content: [] };
    const message = { jsonrpc: '2.0', id: 1, result: content };
    provider.answer({
      headers: { 'content-type': 'text/event-stream' },
      body: `data: ${JSON.stringify(message)}\n\n`,
    });
    const { body } = await ask(MCP, 'settings');
    expect(body).toContain('{"user":"app","password":"***"}');
    await expectNeitherLockNorScore();
  });

  it('are audited by their rules', async () => {
    provider.answer({ body: result(ENV) });
    const { headers } = await ask(MCP, 'settings');
    const id = String(headers['x-gateway-request-id']);
    const line = await loggedLine(gateway, '"audit":"tool_response_inspected"', id);
    expect(line).toMatchObject({
      action: 'redacted',
      findings: [
        { rule: 'password', class: 'credentials' },
        { rule: 'url_password', class: 'credentials' },
      ],
    });
    expect(gateway.logs()).not.toContain('8fA2kd93JmQx');
  });
});

describe('credentials by default', () => {
  it('are left alone', async () => {
    provider.answer({ body: WHOLE[CHAT](ENV) });
    expect((await ask(CHAT, ENV, unset)).body).toBe(WHOLE[CHAT](ENV));
    expect(provider.requests.at(-1)?.body).toContain(JSON.stringify(ENV));
    provider.answer({
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: ENV }] } }),
    });
    expect((await ask(MCP, 'x', unset)).body).toContain('8fA2kd93JmQx');
  });
});

it('counts credentials by their class', async () => {
  await expect.poll(() => gateway.metrics()).toMatch(/class="credentials"/);
});
