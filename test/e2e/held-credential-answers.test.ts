import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import type { Script } from '../support/fake-provider/script.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { found, mark } from '../support/secret-search.ts';

/** A provider that repeats the gateway's credential in its answers, without DLP and in shadow mode. */

const VALUE = 'sk-held-8Gk2pQ9vXw4ZtR7yLm3N';
const MARKS = [mark('held', VALUE)];
const SAID = `Your key is ${VALUE}. In Base64: ${Buffer.from(VALUE).toString('base64')}. Keep ${'it safe. '.repeat(20)}`;

let provider: FakeProvider;
let gateway: TestGateway;
let rawKey: string;
beforeAll(async () => {
  provider = await createFakeProvider();
  gateway = await startGateway({
    config: {
      server: { shadow_mode: true },
      providers: { openai: { base_url: provider.url } },
      credentials: { held: { provider: 'openai', from: { env: 'TEST_HELD_KEY' } } },
    },
    env: { TEST_HELD_KEY: VALUE },
  });
  ({ rawKey } = await gateway.createKey({ credentials: ['held'] }));
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

function ask(script: Script, stream: boolean): Promise<Reply> {
  provider.behave(script);
  return send(gateway.baseUrl, {
    path: '/openai/v1/chat/completions',
    body: JSON.stringify({
      model: 'gpt-4o',
      max_tokens: 500,
      stream,
      messages: [{ role: 'user', content: 'hello' }],
    }),
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
  });
}

describe('a credential of the gateway that the provider repeats', () => {
  it.each([
    ['a whole answer', false],
    ['a stream, in pieces of four letters', true],
  ])('is masked in %s', async (_where, stream) => {
    const reply = await ask({ text: SAID }, stream);
    expect(reply.status).toBe(200);
    expect(found(MARKS, reply.body)).toEqual([]);
    const said = stream ? textOf(reply.body) : reply.body;
    expect(said).toContain('Your key is ***. In Base64: ***');
    expect(said).toContain('it safe. it safe.');
  });

  it('is masked in tool arguments, whole and streamed', async () => {
    for (const stream of [false, true]) {
      const reply = await ask({ tool: { name: 'save', arguments: { key: VALUE } } }, stream);
      expect([reply.status, found(MARKS, reply.body)]).toEqual([200, []]);
    }
  });

  it('is masked in headers, and in error answers', async () => {
    const reply = await ask({ status: 400, headers: { 'x-request-id': `for ${VALUE}` } }, false);
    expect(reply.status).toBe(400);
    expect(found(MARKS, JSON.stringify(reply))).toEqual([]);
  });

  it('is counted and named in the log, never shown', async () => {
    const metrics = await gateway.metrics();
    expect(metrics).toMatch(/gateway_dlp_findings_total\{class="secret",side="answer",action="mask"\} [1-9]/);
    expect(found(MARKS, `${gateway.logs()}${metrics}`)).toEqual([]);
  });

  it('stays if it is the client’s own key', async () => {
    const { rawKey: own } = await gateway.createKey();
    provider.behave({ text: SAID });
    const reply = await send(gateway.baseUrl, {
      path: '/openai/v1/chat/completions',
      body: JSON.stringify({ model: 'gpt-4o', max_tokens: 500, messages: [{ role: 'user', content: 'hi' }] }),
      headers: {
        authorization: `Bearer ${own}`,
        'x-gateway-provider-key': VALUE,
        'content-type': 'application/json',
      },
    });
    expect(reply.body).toContain(VALUE);
  });
});

/** The text that a client assembles. */
function textOf(stream: string): string {
  const events = stream.split('\n').filter((line) => line.startsWith('data: {'));
  return events
    .map((line) => JSON.parse(line.slice(6)) as { choices: { delta?: { content?: string } }[] })
    .map(({ choices: [first] }) => first?.delta?.content ?? '')
    .join('');
}
