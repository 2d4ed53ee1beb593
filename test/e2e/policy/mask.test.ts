import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { connectClient } from '../../support/mcp-rig.ts';
import { startMcpServer, type McpTestServer } from '../../support/mcp-server.ts';
import { startSdkRig, type SdkRig } from '../../support/sdk-rig.ts';
import { SDK_STREAMS } from '../../support/sdk-streams.ts';

/** Cards with `mask`, as clients see them. */
const CARD = `metadata: { name: names }
rules:
  - name: projects
    conditions: [{ field: prompt_text, op: contains, value: Falcon }]
    action: mask
  - name: tickets
    conditions: [{ field: prompt_text, op: matches_regex, value: 'PRJ-\\d+' }]
    action: mask
  - name: ssn
    conditions: [{ field: prompt_text, op: detects, value: ssn }]
    action: mask
  - name: no-tool-after-a-leak
    match: { type: mcp_tool_call, tool: echo }
    conditions:
      - { field: session_sequence, op: contains_matching_trace, value: { type: mcp_tool_response, content_regex: top secret } }
    action: deny
    reason: something secret was read
`;
const SAID = 'Falcon is PRJ-1234 of 219-09-9999, and Falcon flies.';
const MASKED = '*** is *** of ***, and *** flies.';
const KEY = 'key-0123456789';

let folder: string;
const policy = () => ({ enabled: true, policy_dir: folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gw-test-policies-'));
  await writeFile(join(folder, 'names.yaml'), CARD);
});
afterAll(() => rm(folder, { recursive: true }));

describe('a match of a card’s mask, in model calls', () => {
  let rig: SdkRig;
  beforeAll(async () => {
    rig = await startSdkRig({ name: '', tlsListener: false, http2Upstream: false }, { policy: policy() });
  });
  afterAll(() => rig.close());

  it('is *** in the forwarded request and in a whole answer', async () => {
    const access = await rig.access('openai', 'path', KEY);
    rig.provider.behave({ text: SAID });
    const client = new OpenAI({ baseURL: `${access.baseUrl}/v1`, apiKey: access.apiKey, maxRetries: 0 });
    const { data, response } = await client.chat.completions
      .create({ model: 'gpt-4o', messages: [{ role: 'user', content: `Tell me of ${SAID}` }] })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe(MASKED);
    expect(response.headers.get('x-gateway-dlp-redacted')).toBe('true');
    const sent = rig.provider.requests.at(-1)?.body.toString() ?? '';
    expect(sent).toContain(`Tell me of ${MASKED}`);
    expect(sent).not.toContain('Falcon');
  });

  it.each(SDK_STREAMS)('is *** in a stream of $name', async ({ provider, text }) => {
    const access = await rig.access(provider, 'path', KEY);
    rig.provider.behave({ text: SAID });
    let seen = '';
    for await (const piece of text(access, 'hello')) seen += piece;
    expect(seen).toBe(MASKED);
  });
});

describe('a match of a card’s mask, in tool calls', () => {
  let server: McpTestServer;
  let gateway: TestGateway;
  let shadow: TestGateway;
  beforeAll(async () => {
    server = await startMcpServer({
      era: 'sessions',
      register(to) {
        to.registerTool('leak', { description: 'leaks' }, () => ({
          content: [{ type: 'text', text: 'this is top secret' }],
        }));
        to.registerTool('tell', { description: 'tells' }, () => ({
          content: [{ type: 'text', text: SAID }],
          structuredContent: { said: SAID },
        }));
      },
    });
    const config = {
      policy: policy(),
      mcp: { enabled: true, servers: [{ name: 'tools', url: server.url }] },
    };
    gateway = await startGateway({ config });
    shadow = await startGateway({ config: { ...config, server: { shadow_mode: true } } });
  });
  afterAll(async () => {
    await gateway.stop();
    await shadow.stop();
    await server.close();
  });

  async function connect(to: TestGateway) {
    const { rawKey } = await to.createKey();
    const { client } = await connectClient({
      url: new URL(`${to.baseUrl}/mcp/tools`),
      headers: { authorization: `Bearer ${rawKey}`, 'x-gateway-session-id': 'run' },
    });
    return client;
  }

  it('is *** in the tool’s input and answer', async () => {
    const client = await connect(gateway);
    expect(await client.callTool({ name: 'echo', arguments: { text: 'about Falcon' } })).toMatchObject({
      content: [{ text: expect.stringContaining('about ***') as string }],
    });
    expect(await client.callTool({ name: 'tell' })).toMatchObject({
      content: [{ type: 'text', text: MASKED }],
      structuredContent: { said: MASKED },
    });
  });

  it('is only recorded in shadow mode', async () => {
    const client = await connect(shadow);
    expect(await client.callTool({ name: 'tell' })).toMatchObject({ content: [{ text: SAID }] });
  });

  it('does not change the answers that the session remembers', async () => {
    const client = await connect(gateway);
    await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    await client.callTool({ name: 'leak' });
    await expect(client.callTool({ name: 'echo', arguments: { text: 'hello' } })).rejects.toThrow(
      /something secret was read/,
    );
  });
});
