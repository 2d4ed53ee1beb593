import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json/is-object.ts';
import { askWith } from '../../support/ask-provider.ts';
import { createFakeProvider, type FakeProvider } from '../../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import type { Reply } from '../../support/http.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** docs/remote-content.md: content that the gateway cannot read, on the wire. */
const CARD = `metadata: { name: unseen }
rules:
  - name: no-xylophone
    conditions: [{ field: prompt_text, op: contains, value: xylophone }]
    action: deny
  - name: nothing-unseen
    match: { model: careful }
    conditions: [{ field: unseen_content, op: equals, value: true }]
    action: deny
    reason: its content cannot be inspected
`;
const PDF = Buffer.from('%PDF-1.7 compressed').toString('base64');

let provider: FakeProvider;
let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gw-test-remote-content-'));
  await writeFile(join(folder, 'card.yaml'), CARD);
  provider = await createFakeProvider();
  const base = { base_url: provider.url };
  gateway = await startGateway({
    config: {
      providers: { openai: base, anthropic: base, gemini: base, bedrock: base, vllm: base },
      policy: { enabled: true, policy_dir: folder },
      proxy: { remote_content: ['cdn.example.com'] },
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
  await rm(folder, { recursive: true });
});

async function ask(path: string, body: JsonObject): Promise<Reply> {
  const [, name = ''] = path.split('/');
  const { rawKey } = await gateway.createKey({ provider: name as 'openai' });
  return askWith(gateway, rawKey, path, body);
}

const chat = (model: string, ...content: readonly JsonObject[]): JsonObject => ({
  model,
  max_tokens: 9,
  messages: [{ role: 'user', content }],
});
const image = (url: string): JsonObject => ({ type: 'image_url', image_url: { url } });

it.each<[string, JsonObject]>([
  ['/openai/v1/chat/completions', chat('careful', image('data:image/png;base64,AAAA'))],
  ['/openai/v1/chat/completions', chat('careful', image('https://cdn.example.com/a.png'))],
  [
    '/anthropic/v1/messages',
    chat('careful', {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: PDF },
    }),
  ],
  [
    '/openai/v1/responses',
    {
      model: 'careful',
      input: [
        {
          role: 'user',
          content: [{ type: 'input_file', filename: 'f', file_data: `data:application/pdf;base64,${PDF}` }],
        },
      ],
    },
  ],
  [
    '/gemini/v1beta/models/careful:generateContent',
    { contents: [{ parts: [{ inlineData: { mimeType: 'application/pdf', data: PDF } }] }] },
  ],
  [
    '/bedrock/model/careful/converse',
    {
      messages: [
        { role: 'user', content: [{ document: { format: 'pdf', name: 'd', source: { bytes: PDF } } }] },
      ],
    },
  ],
  [
    '/vllm/v1/chat/completions',
    { ...chat('careful', { type: 'text', text: 'hi' }), chat_template: "{{ 'xylo' ~ 'phone' }}" },
  ],
])('a rule on unseen_content sees %s', async (path, body) => {
  const before = provider.requests.length;
  const { status, body: said } = await ask(path, body);
  expect([status, said]).toEqual([403, expect.stringContaining('its content cannot be inspected')]);
  expect(provider.requests).toHaveLength(before);
});

it('an address with an unlisted host is refused with its field’s name, and a listed one passes', async () => {
  const before = provider.requests.length;
  const { status, body } = await ask(
    '/openai/v1/chat/completions',
    chat('m', image('https://evil.test/a.png')),
  );
  expect(status).toBe(403);
  expect(body).toMatch(/messages\.0\.content\.0\.image_url\.url .*proxy\.remote_content.*policy_denied/s);
  expect(provider.requests).toHaveLength(before);
  for (const url of ['https://cdn.example.com/a.png', 'data:image/png;base64,AAAA']) {
    expect((await ask('/openai/v1/chat/completions', chat('m', image(url)))).status).toBe(200);
  }
  expect(provider.requests).toHaveLength(before + 2);
});

it.each(['http://169.254.169.254/latest/meta-data', 'file:///etc/passwd', 'http://0x7f000001/'])(
  'a self-hosted engine gets no address such as %s',
  async (url) => {
    const before = provider.requests.length;
    const { status, body } = await ask('/vllm/v1/chat/completions', chat('m', image(url)));
    expect([status, body]).toEqual([403, expect.stringContaining('self-hosted')]);
    expect(provider.requests).toHaveLength(before);
  },
);
