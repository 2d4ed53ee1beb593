import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json/is-object.ts';
import { DISGUISES } from '../../unit/detectors/literals/disguises.ts';
import { askWith } from '../../support/ask-provider.ts';
import { createFakeProvider, type FakeProvider } from '../../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import type { Reply } from '../../support/http.ts';
import { startMcpServer, type McpTestServer } from '../../support/mcp-server.ts';
import { callTool, closeConnections } from '../../support/policy-clients.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** docs/cards.md, `contains`: a company's own words, in any spelling. */
const CARD = `metadata: { name: words }
rules:
  - name: no-zanzibar
    conditions: [{ field: prompt_text, op: contains, value: [zanzibar, Project Atlas] }]
    action: deny
  - name: no-heron-argument
    match: { tool: echo }
    conditions: [{ field: arguments.text, op: contains, value: greyheron }]
    action: deny
  - name: exact
    conditions: [{ field: prompt_text, op: contains, value: Kestrel, ignore_case: false }]
    action: deny
  - name: falcon
    conditions: [{ field: prompt_text, op: contains, value: peregrine }]
    action: mask
`;

let provider: FakeProvider;
let server: McpTestServer;
let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gw-test-words-'));
  await writeFile(join(folder, 'card.yaml'), CARD);
  provider = await createFakeProvider();
  server = await startMcpServer({ era: 'sessions' });
  const base = { base_url: provider.url };
  gateway = await startGateway({
    config: {
      providers: { openai: base, anthropic: base, gemini: base, bedrock: base },
      policy: { enabled: true, policy_dir: folder },
      mcp: { enabled: true, servers: [{ name: 'tools', url: server.url }] },
    },
  });
});
afterAll(async () => {
  await closeConnections();
  await gateway.stop();
  await Promise.all([provider.close(), server.close()]);
  await rm(folder, { recursive: true });
});

async function ask(path: string, body: JsonObject): Promise<Reply> {
  const [, name = ''] = path.split('/');
  const { rawKey } = await gateway.createKey({ provider: name as 'openai' });
  return askWith(gateway, rawKey, path, body);
}

interface Dialect {
  readonly path: string;
  /** A body whose only message has these parts. */
  readonly body: (...parts: readonly string[]) => JsonObject;
}

const typed = (type: string) => (text: string) => ({ type, text });
const DIALECTS: Readonly<Record<string, Dialect>> = {
  'chat completions': {
    path: '/openai/v1/chat/completions',
    body: (...parts) => ({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: parts.map(typed('text')) }],
    }),
  },
  responses: {
    path: '/openai/v1/responses',
    body: (...parts) => ({
      model: 'gpt-4o',
      input: [{ role: 'user', content: parts.map(typed('input_text')) }],
    }),
  },
  anthropic: {
    path: '/anthropic/v1/messages',
    body: (...parts) => ({
      model: 'claude-sonnet-4-5',
      max_tokens: 9,
      messages: [{ role: 'user', content: parts.map(typed('text')) }],
    }),
  },
  gemini: {
    path: '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
    body: (...parts) => ({ contents: [{ role: 'user', parts: parts.map((text) => ({ text })) }] }),
  },
};

describe.each(Object.entries(DIALECTS))('a word that a card denies, in %s', (_name, { path, body }) => {
  it.each(Object.keys(DISGUISES))('is found: %s', async (how) => {
    const written = DISGUISES[how]?.('zanzibar') ?? '';
    const { status, body: refusal } = await ask(path, body(`What do you know of ${written} today?`));
    expect([status, String(refusal)]).toEqual([403, expect.stringContaining('no-zanzibar')]);
  });

  it('is found across two and across three parts of a message', async () => {
    expect((await ask(path, body('all about zan', 'zibar today'))).status).toBe(403);
    expect((await ask(path, body('all about z.a.n', '.z.i', '.b.a.r today'))).status).toBe(403);
    expect((await ask(path, body('all about Project', 'Atlas'))).status).toBe(403);
  });

  it('is not found in innocent text', async () => {
    expect(
      (await ask(path, body('A zany bazaar, and the project of an atlas.', 'Kestrels fly.'))).status,
    ).toBe(403);
    expect((await ask(path, body('A zany bazaar, and the project of an atlas.', 'KESTREL'))).status).toBe(
      200,
    );
    expect((await ask(path, body('all about zan', 'and zibar'))).status).toBe(200);
  });
});

describe('a word that a card masks', () => {
  it('is masked as written, and the rest stays', async () => {
    const { path, body } = DIALECTS['chat completions'] as Dialect;
    const written = ['pеregrine', 'p.e.r.e.g.r.i.n.e', 'PEREGRINE', 'cGVyZWdyaW5l', 'p3r3gr1n3'];
    const { status } = await ask(path, body(`See ${written.join(', ')} and a pilgrim.`));
    expect(status).toBe(200);
    expect(provider.requests.at(-1)?.body.toString()).toContain('See ***, ***, ***, ***, *** and a pilgrim.');
  });

  it('is refused across two parts, since no part can be masked alone', async () => {
    const { path, body } = DIALECTS.anthropic as Dialect;
    const { status, body: refusal } = await ask(path, body('about pere', 'grine'));
    expect([status, String(refusal)]).toEqual([403, expect.stringContaining('falcon')]);
  });
});

describe('a word in arguments of MCP tools', () => {
  it.each(Object.keys(DISGUISES))('is found: %s', async (how) => {
    const agent = { gateway, key: await gateway.createKey({ provider: 'openai' }) };
    const denied = { code: -32001 };
    for (const word of ['zanzibar', 'greyheron']) {
      const text = `say ${DISGUISES[how]?.(word) ?? ''} now`;
      expect(await callTool(agent, 'echo', { text })).toMatchObject(denied);
    }
    expect(await callTool(agent, 'echo', { text: 'a grey hero' })).toEqual({ text: 'a grey hero' });
  });
});

describe('a word in a file', () => {
  it('of Base64 text is found in every dialect', async () => {
    const data = Buffer.from('the plans of z4nzibar').toString('base64');
    const files: readonly (readonly [path: string, body: JsonObject])[] = [
      [
        '/anthropic/v1/messages',
        {
          model: 'claude-sonnet-4-5',
          max_tokens: 9,
          messages: [
            {
              role: 'user',
              content: [{ type: 'document', source: { type: 'base64', media_type: 'text/plain', data } }],
            },
          ],
        },
      ],
      [
        '/openai/v1/chat/completions',
        {
          model: 'gpt-4o',
          messages: [
            {
              role: 'user',
              content: [
                { type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${data}` } },
              ],
            },
          ],
        },
      ],
      [
        '/openai/v1/responses',
        {
          model: 'gpt-4o',
          input: [
            {
              role: 'user',
              content: [
                { type: 'input_file', filename: 'a.txt', file_data: `data:text/plain;base64,${data}` },
              ],
            },
          ],
        },
      ],
      [
        '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
        { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'text/plain', data } }] }] },
      ],
    ];
    for (const [path, body] of files) expect([path, (await ask(path, body)).status]).toEqual([path, 403]);
  });
});

describe('a prompt as token ids', () => {
  it.each(['prompt', 'input'])('is refused while a rule reads texts: %s', async (name) => {
    const path = name === 'prompt' ? '/openai/v1/completions' : '/openai/v1/embeddings';
    for (const tokens of [
      [1, 2, 3],
      [[1, 2], [3]],
    ]) {
      const { status, body } = await ask(path, { model: 'gpt-3.5-turbo-instruct', [name]: tokens });
      expect([status, String(body)]).toEqual([403, expect.stringContaining('token ids')]);
    }
    expect((await ask(path, { model: 'gpt-3.5-turbo-instruct', [name]: 'hello' })).status).toBe(200);
  });
});
