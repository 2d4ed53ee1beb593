import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { ConfigInput } from '../../src/config/schema.ts';
import { defaultConfig } from '../support/default-config.ts';
import { useTestRedis } from '../support/redis.ts';
import { startTestSidecar, type Asked, type Seen, type TestSidecar } from '../support/settings/sidecar.ts';

/**
 * Long bodies, answers and frames are read in pieces, short ones at once, with equal results. Each row is tested on
 * either side of every size at which some part of the gateway changes its way.
 */
const SIZES = [4_096, 16_384, 32_768, 65_536, 131_072, 262_144].flatMap((size) => [size - 1, size, size + 1]);

const MAIL = 'jane@example.com';
const AWS_KEY = 'AKIAIOSFODNN7QWERTYU';
const SECRET = 'a secret of more than thirty-two bytes';
const folder = mkdtempSync(join(tmpdir(), 'sizes-'));
const CARD = join(folder, 'card.yaml');
writeFileSync(
  CARD,
  `metadata: { name: sizes }
rules:
  - name: no-zebras
    conditions: [{ field: prompt_text, op: contains, value: zebra }]
    action: deny
`,
);

const SETTINGS: ConfigInput = {
  server: { log_level: 'error', dlp: { enabled: true, requests: 'mask' } },
  audit: { enabled: true, stdout: false },
  policy: { enabled: true, policy_file: CARD, policy_dir: join(folder, 'none'), default_action: 'allow' },
  signature: { enabled: true, secret: SECRET },
  mcp: { enabled: true, servers: [{ name: 'files', url: 'https://files.test/mcp' }] },
  session: { required: false },
};

const redis = useTestRedis();
let sidecar: TestSidecar;

beforeAll(async () => {
  const config = defaultConfig({ ...SETTINGS, redis: { addr: redis.addr } }, { SERVER_INSECURE_DEV: 'true' });
  sidecar = await startTestSidecar(config, redis);
});
afterAll(async () => {
  await sidecar.close();
  rmSync(folder, { recursive: true });
});

/** Returns the result of `write` for filler words, with this many bytes in all. */
function sized(bytes: number, write: (filler: string) => string): string {
  const filler = 'lorem ipsum dolor sit amet '.repeat(Math.ceil(bytes / 27));
  const text = write(filler.slice(0, bytes - Buffer.byteLength(write(''))));
  expect(Buffer.byteLength(text)).toBe(bytes);
  return text;
}

function request(content: string, more: object = {}): string {
  return JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }], max_tokens: 50, ...more });
}

function answer(content: string): string {
  const message = { role: 'assistant', content };
  const usage = { prompt_tokens: 10, completion_tokens: 10 };
  return JSON.stringify({ model: 'gpt-4o', choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
}

function frame(content: string): string {
  const chunk = { model: 'gpt-4o', choices: [{ index: 0, delta: { content }, finish_reason: null }] };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

const USAGE_FRAME = `data: {"model":"gpt-4o","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":10}}\n\ndata: [DONE]\n\n`;

async function ask(asked: Omit<Asked, 'rawKey'>, rawKey?: string): Promise<Seen> {
  return sidecar.ask({ rawKey: rawKey ?? (await sidecar.newKey()).rawKey, ...asked });
}

function streamed(content: (filler: string) => string, bytes: number): Omit<Asked, 'rawKey'> {
  const body = sized(bytes, (filler) => frame(content(filler)));
  return {
    body: request('x', { stream: true }),
    answer: { type: 'text/event-stream', body: body + USAGE_FRAME },
  };
}

describe.each(SIZES)('%i bytes', (bytes) => {
  it('of a request: its own proxy key is not forwarded', async () => {
    const { rawKey } = await sidecar.newKey();
    const body = sized(bytes, (filler) => request(`${filler} ${rawKey}`));
    const { upstream, status } = await ask({ body }, rawKey);
    expect([status, upstream?.body.includes(rawKey)]).toEqual([200, false]);
  });

  it('of a request: its own proxy key is refused if an escape hides it', async () => {
    const { rawKey } = await sidecar.newKey();
    const spelled = rawKey.replace('gw-', 'g\\u0077-');
    const write = (filler: string): string => request(`${filler} KEY`).replace('KEY', spelled);
    const seen = await ask({ body: sized(bytes, write) }, rawKey);
    expect([seen.status, seen.upstream]).toEqual([400, undefined]);
  });

  it('of a request: personal data are masked in any place', async () => {
    const body = sized(bytes, (filler) => request(`${MAIL} ${filler} ${MAIL}`));
    const { upstream } = await ask({ body });
    expect(upstream?.body).toContain('***');
    expect(upstream?.body).not.toContain(MAIL);
  });

  it('of a request: policies judge its last word', async () => {
    const { status, body } = await ask({ body: sized(bytes, (filler) => request(`${filler} zebra`)) });
    expect([status, body]).toEqual([403, expect.stringContaining('policy_denied')]);
  });

  it('of a request: a duplicate member is refused', async () => {
    const body = sized(bytes, (filler) => request(filler).replace(/}$/, ',"model":"gpt-4"}'));
    expect(await ask({ body })).toMatchObject({ status: 400 });
  });

  it('of a request: a hosted tool is removed, and the rest is signed as sent', async () => {
    const tools = [{ type: 'function', name: 'f', parameters: {} }, { type: 'web_search' }];
    const body = sized(bytes, (input) => JSON.stringify({ model: 'gpt-4o', input, tools }));
    const { upstream } = await ask({ path: '/openai/v1/responses', body });
    expect((JSON.parse(upstream?.body ?? '') as { tools: object[] }).tools).toHaveLength(1);
    const [head = '', , given] = (upstream?.headers['x-gateway-signature'] ?? '').split('.');
    const payload = Buffer.from(upstream?.body ?? '').toString('base64url');
    expect(createHmac('sha256', SECRET).update(`${head}.${payload}`).digest('base64url')).toBe(given);
  });

  it('of an answer: personal data are masked, and its usage is charged', async () => {
    const body = sized(bytes, (filler) => answer(`${MAIL} ${filler} ${MAIL}`));
    const seen = await ask({ body: request('x'), answer: { body } });
    expect(seen.body).not.toContain(MAIL);
    expect(JSON.parse(seen.body)).toMatchObject({ choices: [{ message: { role: 'assistant' } }] });
    expect(seen.headers).toMatchObject({
      'x-gateway-request-cost': '0.000125',
      'content-length': String(Buffer.byteLength(seen.body)),
    });
  });

  it('of an answer: a secret at its end withholds it', async () => {
    const body = sized(bytes, (filler) => answer(`${filler} ${AWS_KEY}`));
    const seen = await ask({ body: request('x'), answer: { body } });
    expect([seen.status, seen.body.includes(AWS_KEY)]).toEqual([403, false]);
  });

  it("of an MCP server's answer: a climb at its end is removed", async () => {
    const text = (filler: string) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        result: { content: [{ type: 'text', text: `${filler} ../../../etc/passwd` }] },
      });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read', arguments: {} } };
    const seen = await ask({
      path: '/mcp/files/tools/call',
      body: call,
      answer: { body: sized(bytes, text) },
    });
    expect(seen.body).toContain('[Content removed: security policy]');
    expect(seen.body).not.toContain('etc/passwd');
  });

  it('of a frame: personal data are masked, and the usage after it is charged', async () => {
    const seen = await ask(streamed((filler) => `${MAIL} ${filler} ${MAIL} .`, bytes));
    expect(seen.body).not.toContain(MAIL);
    expect(seen.body).toContain('***');
    expect(seen.body).toContain(': x-gateway-request-cost=0.000125');
  });

  it('of a frame: a secret at its end cuts the stream', async () => {
    const seen = await ask(streamed((filler) => `${filler} ${AWS_KEY} .`, bytes));
    expect(seen.body).toContain('dlp_quarantine');
    expect(seen.body).not.toContain(AWS_KEY);
    expect(seen.body).not.toContain('[DONE]');
  });
});
