import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import type { Script } from '../support/fake-provider/script.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { found, mark } from '../support/secret-search.ts';
import { startRecorder, type Recorder } from '../support/recorder.ts';
import { askWith } from '../support/ask-provider.ts';

/** A provider that repeats the gateway's credential in its answers, without DLP and in shadow mode. */

const VALUE = 'sk-held-8Gk2pQ9vXw4ZtR7yLm3N';
const MARKS = [mark('held', VALUE)];
const SAID = `Your key is ${VALUE}. In Base64: ${Buffer.from(VALUE).toString('base64')}. Keep ${'it safe. '.repeat(20)}`;

let provider: FakeProvider;
let gateway: TestGateway;
let rawKey: string;
/** Answers in the place of Gemini and xAI, which refuse a key with 400. */
let refusing: Recorder;
let refusal: { readonly type: string; readonly body: string };
beforeAll(async () => {
  provider = await createFakeProvider();
  refusing = await startRecorder((_request, response) =>
    response.writeHead(400, { 'content-type': refusal.type }).end(refusal.body),
  );
  const base_url = refusing.url;
  gateway = await startGateway({
    config: {
      server: { shadow_mode: true },
      providers: { openai: { base_url: provider.url }, gemini: { base_url }, xai: { base_url } },
      credentials: {
        held: { provider: 'openai', from: { env: 'TEST_HELD_KEY' } },
        google: { provider: 'gemini', from: { env: 'TEST_HELD_KEY' } },
        grok: { provider: 'xai', from: { env: 'TEST_HELD_KEY' } },
      },
    },
    env: { TEST_HELD_KEY: VALUE },
  });
  ({ rawKey } = await gateway.createKey({ credentials: ['held'] }));
});
afterAll(async () => {
  await gateway.stop();
  await refusing.close();
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
    const body = { model: 'gpt-4o', max_tokens: 500, messages: [{ role: 'user', content: 'hi' }] };
    const headers = { 'x-gateway-provider-key': VALUE };
    const reply = await askWith(gateway, own, '/openai/v1/chat/completions', body, headers);
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

describe('a credential of the gateway that the provider refuses with 400', () => {
  const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
  const GEMINI = '/gemini/v1beta/models/gemini-2.5-flash:';
  const GOOGLES = {
    error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] },
  };
  const XAIS = { code: 'invalid-argument', error: 'Incorrect API key provided: sk***3N.' };
  const chat = { model: 'grok-4', messages: [{ role: 'user', content: 'hello' }] };

  async function refusedWith(path: string, body: object, answer: typeof refusal): Promise<Reply> {
    refusal = answer;
    const key = await gateway.createKey({
      credentials: ['google', 'grok'],
      allowedProviders: ['gemini', 'xai'],
    });
    const headers = { authorization: `Bearer ${key.rawKey}`, 'content-type': 'application/json' };
    return send(gateway.baseUrl, { path, body: JSON.stringify(body), headers });
  }
  async function refusals(credential: string): Promise<number> {
    const line = `gateway_credential_answers_total{credential="${credential}",outcome="refused"} `;
    const text = await gateway.metrics();
    return Number(text.split(line)[1]?.split('\n')[0] ?? 0);
  }

  it.each<[string, string, string, object, string, object]>([
    ['Gemini’s', 'google', `${GEMINI}generateContent`, { contents }, 'application/json', GOOGLES],
    [
      'in a stream of events',
      'google',
      `${GEMINI}streamGenerateContent?alt=sse`,
      { contents },
      'text/event-stream',
      GOOGLES,
    ],
    ['in an array', 'google', `${GEMINI}streamGenerateContent`, { contents }, 'application/json', [GOOGLES]],
    ['xAI’s, with a part of the key', 'grok', '/xai/v1/chat/completions', chat, 'application/json', XAIS],
  ])(
    'is reported as refused, and the answer is withheld: %s',
    async (_what, credential, path, body, type, said) => {
      const before = await refusals(credential);
      const reply = await refusedWith(path, body, { type, body: JSON.stringify(said) });
      expect([reply.status, reply.body]).toEqual([503, expect.stringContaining('credential_unavailable')]);
      expect(reply.body).not.toContain('3N');
      await expect.poll(() => refusals(credential)).toBe(before + 1);
    },
  );

  it('is not one for another error of the request', async () => {
    const said = JSON.stringify({ error: { code: 400, message: 'Invalid JSON payload received.' } });
    for (const path of [`${GEMINI}generateContent`, `${GEMINI}streamGenerateContent?alt=sse`]) {
      const reply = await refusedWith(path, { contents }, { type: 'application/json', body: said });
      expect([reply.status, reply.body]).toEqual([400, said]);
    }
  });

  it.each<[string, string, string, object, object]>([
    [
      'Gemini’s',
      'google',
      `${GEMINI}generateContent`,
      { contents },
      { error: { code: 400, message: 'Unknown name "reason": "API_KEY_INVALID". API key not valid' } },
    ],
    [
      'xAI’s',
      'grok',
      '/xai/v1/chat/completions',
      chat,
      {
        code: 'invalid-argument',
        error: 'unknown variant "error":"Incorrect API key provided", expected low',
      },
    ],
  ])('is not one for an error that quotes the client: %s', async (_what, credential, path, body, said) => {
    const before = await refusals(credential);
    const text = JSON.stringify(said);
    const reply = await refusedWith(path, body, { type: 'application/json', body: text });
    expect([reply.status, reply.body]).toEqual([400, text]);
    expect(await refusals(credential)).toBe(before);
  });
});
