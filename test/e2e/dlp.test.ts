import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRedisSessionStore } from '../../src/checks/session/redis-store.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { readAccount } from '../support/account.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { createRawProvider, type RawProvider } from '../support/raw-provider.ts';
import { makeSecret, seededRandom } from '../unit/detectors/secrets/samples.ts';
import { expectRefusal } from './budgets/rig.ts';

/** docs/dlp.md: answers, streams as they stand on the wire, and requests. */
type Dlp = NonNullable<NonNullable<ConfigInput['server']>['dlp']>;

const CHAT = '/openai/v1/chat/completions';
const MESSAGES = '/anthropic/v1/messages';
const GENERATE = '/gemini/v1beta/models/gemini-2.5-flash:generateContent';
const SECRET = makeSecret('aws_access_key_id', seededRandom(7)).secret;

/** What docs/dlp.md lists, made up: by class, what is found in a sentence and what the sentence becomes. */
const DETECTIONS = [
  ['email addresses', 'Write to ann.lee@shop.example.org today.', 'Write to *** today.'],
  ['Visa numbers', 'Card 4539 1488 0343 6467, thanks.', 'Card ***, thanks.'],
  ['MasterCard numbers', 'Card 5425233430109903, thanks.', 'Card ***, thanks.'],
  ['Amex numbers', 'Card 374245455400126, thanks.', 'Card ***, thanks.'],
  ['Discover numbers', 'Card 6011000991300009, thanks.', 'Card ***, thanks.'],
  ['US social security numbers', 'SSN 219-09-9987 it is.', 'SSN *** it is.'],
  ['E.164 phone numbers', 'Call +442079460958 now.', 'Call *** now.'],
  ['NANP phone numbers', 'Call (212) 555-0187 now.', 'Call *** now.'],
  ['10.x addresses', 'Host 10.20.30.40 answers.', 'Host *** answers.'],
  ['172.16-31.x addresses', 'Host 172.20.3.4 answers.', 'Host *** answers.'],
  ['192.168.x addresses', 'Host 192.168.7.9 answers.', 'Host *** answers.'],
  ['loopback addresses', 'Host 127.0.0.1 answers.', 'Host *** answers.'],
  ['localhost', 'Host localhost answers.', 'Host *** answers.'],
  ['.internal hosts', 'Host db1.internal answers.', 'Host *** answers.'],
  ['.local hosts', 'Host nas.local answers.', 'Host *** answers.'],
  ['.corp hosts', 'Host wiki.corp answers.', 'Host *** answers.'],
] as const;

let provider: RawProvider;
let gateway: TestGateway;
const variants: TestGateway[] = [];
let key: TestKey;

beforeAll(async () => {
  provider = await createRawProvider();
  gateway = await startGateway({ config: configOf({}) });
});
afterEach(async () => {
  await Promise.all(variants.splice(0).map((variant) => variant.stop()));
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
beforeEach(async () => {
  key = await newKey();
  provider.answer({ body: chat('Fine.') });
});

function configOf(dlp: Dlp, more: ConfigInput = {}): ConfigInput {
  const base = { base_url: provider.url };
  return {
    proxy: { unknown_endpoints: 'allow' },
    ...more,
    providers: { openai: base, anthropic: base, gemini: base },
    pricing: { overrides: { flat: { input: 0, output: 1 } } },
    server: { ...more.server, dlp: { enabled: true, scan_network: true, ...dlp } },
  };
}

/** Another gateway on the same Redis, for one test. */
async function variant(dlp: Dlp, more: ConfigInput = {}): Promise<TestGateway> {
  const started = await startGateway({ redis: gateway.redis, config: configOf(dlp, more) });
  variants.push(started);
  return started;
}

function newKey(): Promise<TestKey> {
  return gateway.createKey({ allowedProviders: ['openai', 'anthropic', 'gemini'] });
}

interface Asked {
  readonly target?: TestGateway;
  readonly path?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask({ target = gateway, path = CHAT, body, headers = {} }: Asked = {}): Promise<Reply> {
  const question = body ?? { model: 'flat', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] };
  return send(target.baseUrl, {
    path,
    body: JSON.stringify(question),
    headers: {
      authorization: `Bearer ${key.rawKey}`,
      'x-gateway-provider-key': 'sk-provider-0123456789',
      'content-type': 'application/json',
      ...headers,
    },
  });
}

/** Hand-written, so that its blanks and its order show whether it stays as it was. */
function chat(content: string, more = ''): string {
  const usage = '{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}';
  const message = `{"role":"assistant", "content":${JSON.stringify(content)}${more}}`;
  return `{"id":"chatcmpl-1", "choices":[{"index":0,"message":${message},"finish_reason":"stop"}], "usage":${usage}}\n`;
}

function messages(text: string): string {
  const usage = '{"input_tokens":5,"output_tokens":7}';
  return `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":${JSON.stringify(text)}}],"usage":${usage}}`;
}

function candidate(text: string): string {
  const content = `{"role":"model","parts":[{"text":${JSON.stringify(text)}}]}`;
  return `{"candidates":[{"content":${content},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":7}}`;
}

/** The answer passed masked: exactly these bytes, and the headers that say so. */
function expectMasked(reply: Reply, body: string): void {
  expect(reply.body).toBe(body);
  expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(body)));
  expect(reply.headers['x-gateway-dlp-redacted']).toBe('true');
  expect(reply.headers).not.toHaveProperty('x-gateway-dlp-block');
}

const riskOf = async (keyHash = key.keyHash): Promise<string | null> =>
  gateway.redis.client.hget(`gateway:risk_profile:${keyHash}`, 'risk_score');
const lockMs = (keyHash = key.keyHash): Promise<number> =>
  gateway.redis.client.pttl(`gateway:quarantine:${keyHash}`);

async function expectQuarantined(reply: Reply, classes: string): Promise<void> {
  expectRefusal(reply, 403, 'dlp_quarantine');
  expect(reply.headers['x-gateway-dlp-block']).toBe('true');
  expect(reply.headers).not.toHaveProperty('x-gateway-dlp-redacted');
  expect((JSON.parse(reply.body) as { error: string }).error).toBe(
    `the answer was withheld: it holds ${classes}`,
  );
  expect(await riskOf()).toBe('30');
  expect(await lockMs()).toBeGreaterThan(0);
}

async function taintsOf(sessionId: string): Promise<readonly string[] | undefined> {
  const sessions = createRedisSessionStore({
    client: gateway.redis.client,
    deadlineMs: 5_000,
    ttlMs: 86_400_000,
    maxPerKey: 0,
  });
  return (await sessions.read({ keyHash: key.keyHash, sessionId }))?.session.taintFlags;
}

async function expectUntouched(): Promise<void> {
  expect(await riskOf()).toBeNull();
  expect(await lockMs()).toBe(-2);
}

describe('DLP, action mask (default for personal data)', () => {
  it.each(DETECTIONS)('masks %s in choice message content', async (_class, said, masked) => {
    provider.answer({ body: chat(said) });
    const reply = await ask();
    expect(reply.status).toBe(200);
    expectMasked(reply, chat(masked));
    await expectUntouched();
  });

  it.each(DETECTIONS)('masks %s in content text', async (_class, said, masked) => {
    provider.answer({ body: messages(said) });
    expectMasked(await ask({ path: MESSAGES }), messages(masked));
  });

  it.each(DETECTIONS)('masks %s in candidate part text', async (_class, said, masked) => {
    provider.answer({ body: candidate(said) });
    expectMasked(await ask({ path: GENERATE, body: { contents: [] } }), candidate(masked));
  });

  it('masks tool call arguments, which stay valid JSON', async () => {
    function call(json: string): string {
      const called = `{"id":"c1","type":"function","function":{"name":"mail","arguments":${JSON.stringify(json)}}}`;
      return chat('Calling.', `,"tool_calls":[${called}]`);
    }
    provider.answer({ body: call('{"to":"ann.lee\\u0040shop.example.org", "card":4539148803436467}') });
    expectMasked(await ask(), call('{"to":"***", "card":"***"}'));
  });

  it('masks what is spread over texts that clients join', async () => {
    const parts = (...texts: string[]): string =>
      `{"candidates":[{"content":{"parts":[${texts.map((text) => `{"text":"${text}"}`).join(', ')}]}}]}`;
    provider.answer({ body: parts('Card 4539 1488', ' 0343 64', '67, thanks.', ' \\u0021') });
    expectMasked(
      await ask({ path: GENERATE, body: { contents: [] } }),
      parts('Card ***', '***', ', thanks.', ' \\u0021'),
    );
  });

  it('masks structured output, which stays valid JSON', async () => {
    provider.answer({ body: chat('{"card": 4539148803436467, "n": 1}') });
    expectMasked(await ask(), chat('{"card": "***", "n": 1}'));
  });

  it('masks a header of the answer', async () => {
    provider.answer({ headers: { 'x-debug': 'asked by ann.lee@shop.example.org' }, body: chat('Fine.') });
    const reply = await ask();
    expectMasked(reply, chat('Fine.'));
    expect(reply.headers['x-debug']).toBe('asked by ***');
  });

  it('leaves an answer without findings byte for byte as it was', async () => {
    const body = chat('Order 20240117-88 \u2014 10,000 units at v1.2.3.4, 50 % off \ud83d\ude00');
    provider.answer({ body });
    const reply = await ask();
    expect(reply.body).toBe(body);
    expect(reply.headers).not.toHaveProperty('x-gateway-dlp-redacted');
  });

  it('masks the text of a provider’s error, whose status stays', async () => {
    const failure = (who: string): string =>
      `{"error":{"message":"No such user: ${who}","type":"invalid_request_error"}}`;
    provider.answer({ status: 400, body: failure('ann.lee@shop.example.org') });
    const reply = await ask();
    expect(reply.status).toBe(400);
    expectMasked(reply, failure('***'));
  });

  it('masks an error in plain text', async () => {
    provider.answer({
      status: 500,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'upstream 10.20.30.40 refused ann.lee@shop.example.org\n',
    });
    const reply = await ask();
    expect(reply.status).toBe(500);
    expectMasked(reply, 'upstream *** refused ***\n');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('masks an answer in %s, and sends it plain', async (coding, compress) => {
    provider.answer({
      headers: { 'content-encoding': coding },
      body: compress(chat('Write to ann.lee@shop.example.org today.')),
    });
    const reply = await ask();
    expectMasked(reply, chat('Write to *** today.'));
    expect(reply.headers).not.toHaveProperty('content-encoding');
  });

  it.each(['text/html', 'audio/mpeg', 'application/octet-stream', 'x'])(
    'masks a JSON answer that calls itself %s',
    async (contentType) => {
      provider.answer({ headers: { 'content-type': contentType }, body: chat('SSN 219-09-9987 it is.') });
      expectMasked(await ask(), chat('SSN *** it is.'));
    },
  );

  it('masks what zero-width characters part, and leaves those of other scripts alone', async () => {
    const flags = '\u{1f3f4}\u{e0067}\u{e0062}\u{e007f} \u0645\u06cc\u200c\u062e';
    const hidden = [...'4539148803436467'].join('\u200b');
    provider.answer({ body: chat(`${flags} ${hidden}, ann.lee@sh\u00adop.example.org`) });
    expectMasked(await ask(), chat(`${flags} ***, ***`));
    provider.answer({ body: chat(flags) });
    expect((await ask()).body).toBe(chat(flags));
  });

  it('empties token ids where something was masked', async () => {
    const ids = (list: string): string => `,"token_ids":${list}`;
    provider.answer({ body: chat('SSN 219-09-9987 it is.', ids('[5,6]')) });
    expectMasked(await ask(), chat('SSN *** it is.', ids('[]')));
  });

  it('masks JSON that is broken off', async () => {
    const cut = (who: string): string => `{"choices":[{"message":{"content":"Write to ${who} tod`;
    provider.answer({ body: cut('ann.lee@shop.example.org') });
    expectMasked(await ask(), cut('***'));
  });

  it('masks JSON that names a member twice, in both', async () => {
    const twice = (one: string, two: string): string => `{"choices":[],"text":"${one}","text":"${two}"}`;
    provider.answer({ body: twice('219-09-9987', 'ann.lee\\u0040shop.example.org') });
    expectMasked(await ask(), twice('***', '***'));
  });

  it('refuses what nobody here can read', async () => {
    const wide = Buffer.from(chat('SSN 219-09-9987 it is.'), 'utf16le');
    provider.answer({ headers: { 'content-type': 'application/json; charset=utf-16' }, body: wide });
    expectRefusal(await ask(), 502, 'upstream_unavailable');
    provider.answer({ headers: { 'content-type': 'audio/wav' }, body: wide });
    expectRefusal(await ask(), 502, 'upstream_unavailable');
  });
});

describe('DLP, action quarantine (default for secrets)', () => {
  it.each([
    ['choice message content', CHAT, chat(`The key is ${SECRET}.`)],
    ['content text', MESSAGES, messages(`The key is ${SECRET}.`)],
    ['candidate part text', GENERATE, candidate(`The key is ${SECRET}.`)],
    ['a provider’s error', CHAT, `{"error":{"message":"bad key ${SECRET}"}}`],
    ['a page of HTML', CHAT, `<html>${SECRET}</html>`],
    ['JSON that is broken off', CHAT, `{"choices":[{"message":{"content":"${SECRET}`],
  ])(
    'cuts with 403, sets X-Gateway-DLP-Block, locks, adds 30, and rejects later calls: %s',
    async (_place, path, body) => {
      provider.answer({ body });
      const question = path === GENERATE ? { body: { contents: [] } } : {};
      const reply = await ask({ path, ...question });
      await expectQuarantined(reply, 'secrets');
      expect(reply.body).not.toContain(SECRET);
      expect(await lockMs()).toBeGreaterThan(3_590_000);
      expect(await lockMs()).toBeLessThanOrEqual(3_600_000);
      provider.answer({ body: chat('Fine.') });
      const refused = await ask({ path, ...question });
      expectRefusal(refused, 403, 'quarantined');
      expect(refused.body).toMatch(
        /Z: a secret \([a-z_]+\) was found in a completion \(request [0-9a-f-]{36}\)\. /,
      );
      expect(refused.body).toContain(reply.headers['x-gateway-request-id']);
      expect(refused.body).not.toContain(SECRET);
    },
  );

  it.each([
    ['provider keys', 'anthropic_api_key'],
    ['repository tokens', 'github_token'],
    ['chat bot tokens', 'slack_token'],
    ['JWTs', 'jwt'],
    ['PEM private keys', 'pem_private_key'],
  ])('finds %s', async (_class, rule) => {
    const { text } = makeSecret(rule, seededRandom(3));
    provider.answer({ body: chat(`Here: ${text}\nDone.`) });
    await expectQuarantined(await ask(), 'secrets');
  });

  it('finds one that is spread over texts that clients join', async () => {
    const [first, second] = [SECRET.slice(0, 9), SECRET.slice(9)];
    const block = (text: string): string => `{"type":"text","text":"${text}"}`;
    provider.answer({ body: `{"type":"message","content":[${block(first)},${block(second)}]}` });
    await expectQuarantined(await ask({ path: MESSAGES }), 'secrets');
  });

  it('finds one in a header of the answer', async () => {
    provider.answer({ headers: { 'x-debug': `key=${SECRET}` }, body: chat('Fine.') });
    const reply = await ask();
    await expectQuarantined(reply, 'secrets');
    expect(JSON.stringify(reply.headers)).not.toContain(SECRET);
  });

  it('charges the key what the provider bills all the same', async () => {
    await gateway.setBudget(key.keyHash, { daily: 1 });
    provider.answer({ body: chat(`The key is ${SECRET}.`) });
    await expectQuarantined(await ask(), 'secrets');
    await expect.poll(async () => (await readAccount(gateway.redis, key.keyHash)).spent).toBe(7_000);
  });

  it('taints the session with secret_accessed', async () => {
    provider.answer({ body: chat(`The key is ${SECRET}.`) });
    await expectQuarantined(await ask({ headers: { 'x-gateway-session-id': 's-1' } }), 'secrets');
    expect(await taintsOf('s-1')).toEqual(['secret_accessed']);
  });
});

describe('DLP, SSE streams', () => {
  const chunk = (content: string): string =>
    `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
  const last = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const events = { 'content-type': 'text/event-stream' };
  const said = (body: string): string =>
    [...body.matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text ?? '').join('');

  it('rewrites each chunk’s data in flight, and says so in a comment', async () => {
    provider.answer({
      headers: events,
      body: chunk('Write to ann.lee@sh') + chunk('op.example.org today.') + last,
    });
    const reply = await ask();
    expect(reply.status).toBe(200);
    expect(said(reply.body)).toBe('Write to *** today.');
    expect(reply.body).toContain(last);
    expect(reply.body).toContain('\n: x-gateway-dlp-redacted=true\n');
    expect(reply.headers).not.toHaveProperty('content-length');
    await expectUntouched();
  });

  it('cuts at a secret that is split across chunks, with an error frame of type dlp_quarantine', async () => {
    const body =
      chunk(`The key is ${SECRET.slice(0, 10)}`) + chunk(`${SECRET.slice(10)}.`) + chunk('More.') + last;
    provider.answer({ headers: events, body });
    const reply = await ask();
    expect(reply.status).toBe(200);
    const frames = reply.body.split('\n\n').filter((frame) => frame.startsWith('data: '));
    const cut = JSON.parse(frames.at(-1)?.slice('data: '.length) ?? '') as { type: string };
    expect(cut.type).toBe('dlp_quarantine');
    expect(reply.body).not.toMatch(/\[DONE\]|More|finish_reason":"stop/);
    expect(reply.body).not.toContain(SECRET.slice(0, 4));
    await expect.poll(() => riskOf()).toBe('30');
    expect(await lockMs()).toBeGreaterThan(0);
    provider.answer({ body: chat('Fine.') });
    expectRefusal(await ask(), 403, 'quarantined');
  });

  it('ends a cut stream with its comments: the block, what was masked before, the cost', async () => {
    await gateway.setBudget(key.keyHash, { daily: 1 });
    const body = chunk('Write to ann.lee@shop.example.org today. ') + chunk(`The key is ${SECRET}.`) + last;
    provider.answer({ headers: events, body });
    const reply = await ask();
    const comments = reply.body.slice(reply.body.indexOf('dlp_quarantine')).match(/^: .*$/gm) ?? [];
    expect(comments[0]).toBe(': x-gateway-dlp-block=true');
    expect(comments[1]).toBe(': x-gateway-dlp-redacted=true');
    expect(comments[2]).toMatch(/^: x-gateway-request-cost=[\d.]+ .*x-gateway-budget-window=daily$/);
    expect(reply.body).not.toContain('[DONE]');
  });

  it('has none of them under strip_budget_headers', async () => {
    const target = await variant({}, { server: { strip_budget_headers: true } });
    await target.setBudget(key.keyHash, { daily: 1 });
    const masked = chunk('Write to ann.lee@shop.example.org today. ');
    for (const body of [masked + last, masked + chunk(`The key is ${SECRET}.`) + last]) {
      provider.answer({ headers: events, body });
      const reply = await ask({ target });
      expect(said(reply.body)).toContain('Write to *** today. ');
      expect(reply.body).not.toMatch(/^:|x-gateway/m);
    }
  });

  it.each([
    ['events', 'text/event-stream', (json: string) => `data: ${json}\n\n`],
    ['lines', 'application/x-ndjson', (json: string) => `${json}\n`],
    ['lines that call themselves JSON', 'application/json', (json: string) => `${json}\n`],
  ])('finds what goes over two of an unknown endpoint: %s', async (_form, type, write) => {
    const path = '/openai/v1/assistants/speak';
    const body = (...pieces: string[]): string =>
      pieces.map((delta) => write(JSON.stringify({ delta }))).join('');
    provider.answer({ headers: { 'content-type': type }, body: body('to ann.lee@sh', 'op.example.org now') });
    const masked = await ask({ path });
    expect([masked.status, masked.body]).toEqual([200, expect.stringContaining('to ***')]);
    expect(masked.body).not.toMatch(/ann|op\.example/);
    provider.answer({
      headers: { 'content-type': type },
      body: body(`key ${SECRET.slice(0, 9)}`, `${SECRET.slice(9)}.`),
    });
    const reply = await ask({ path });
    expect(reply.body).toContain('dlp_quarantine');
    expect(reply.body).not.toMatch(new RegExp(`${SECRET.slice(0, 9)}|${SECRET.slice(9)}`));
    await expect.poll(() => riskOf()).toBe('30');
  });

  it('masks a header of the stream', async () => {
    provider.answer({ headers: { ...events, 'x-debug': 'at 10.20.30.40' }, body: chunk('Fine.') + last });
    const reply = await ask();
    expect([reply.status, said(reply.body)]).toEqual([200, 'Fine.']);
    expect(reply.headers).toMatchObject({ 'x-debug': 'at ***', 'x-gateway-dlp-redacted': 'true' });
  });

  it('withholds a stream for a secret in its headers', async () => {
    provider.answer({ headers: { ...events, 'x-debug': SECRET }, body: chunk('Fine.') + last });
    await expectQuarantined(await ask(), 'secrets');
  });
});

describe('server.dlp settings', () => {
  it('quarantine_duration: the lock holds so long', async () => {
    const short = await variant({ quarantine_duration: '1500ms' });
    provider.answer({ body: chat(`The key is ${SECRET}.`) });
    await expectQuarantined(await ask({ target: short }), 'secrets');
    expectRefusal(await ask({ target: short }), 403, 'quarantined');
    provider.answer({ body: chat('Fine.') });
    await sleep(1_600);
    expect((await ask({ target: short })).status).toBe(200);
  });

  it('allowed_hosts: addresses at these domains stay', async () => {
    const target = await variant({ allowed_hosts: ['shop.example.org'] });
    provider.answer({ body: chat('ann.lee@shop.example.org or bob@mail.example.net') });
    expectMasked(await ask({ target }), chat('ann.lee@shop.example.org or ***'));
  });

  it('scan_secrets, scan_pii, scan_network: what is off is not looked for', async () => {
    const said = `${SECRET} ann.lee@shop.example.org 10.20.30.40`;
    provider.answer({ body: chat(said) });
    const networkOnly = await variant({ scan_secrets: false, scan_pii: false });
    expectMasked(await ask({ target: networkOnly }), chat(`${SECRET} ann.lee@shop.example.org ***`));
    const piiOnly = await variant({ scan_secrets: false, scan_network: false });
    expectMasked(await ask({ target: piiOnly }), chat(`${SECRET} *** 10.20.30.40`));
    await expectUntouched();
  });

  it('action mask: secrets are masked too, and neither lock nor score', async () => {
    const target = await variant({ action: 'mask' });
    provider.answer({ body: chat(`The key is ${SECRET}.`) });
    expectMasked(await ask({ target }), chat('The key is ***.'));
    await expectUntouched();
  });

  it('action quarantine: personal data cuts, locks and scores too, and taints nothing', async () => {
    const target = await variant({ action: 'quarantine' });
    provider.answer({ body: chat('Write to ann.lee@shop.example.org today.') });
    const headers = { 'x-gateway-session-id': 's-2' };
    await expectQuarantined(await ask({ target, headers }), 'email addresses');
    expectRefusal(await ask({ target }), 403, 'quarantined');
    expect(await taintsOf('s-2')).toEqual([]);
    const profile = `gateway:risk_profile:${key.keyHash}`;
    expect(await gateway.redis.client.hget(profile, 'persistent_taint_flags')).toBeNull();
  });

  it('enabled false: nothing is looked at', async () => {
    const target = await variant({ enabled: false });
    provider.answer({ body: chat(`The key is ${SECRET}.`) });
    expect((await ask({ target })).body).toBe(chat(`The key is ${SECRET}.`));
    await expectUntouched();
  });

  it('server.shadow_mode: nothing is masked, cut, locked or scored, and the record is kept', async () => {
    const target = await variant({ requests: 'deny' }, { server: { shadow_mode: true } });
    provider.answer({ body: chat(`ann.lee@shop.example.org has ${SECRET}.`) });
    const body = { model: 'flat', max_tokens: 9, messages: [{ role: 'user', content: 'SSN 219-09-9987' }] };
    const reply = await ask({ target, body });
    expect(reply.body).toBe(chat(`ann.lee@shop.example.org has ${SECRET}.`));
    expect(reply.headers['x-gateway-shadow']).toBe('policy_denied, dlp_quarantine');
    expect(reply.headers).not.toHaveProperty('x-gateway-dlp-redacted');
    expect(reply.headers).not.toHaveProperty('x-gateway-dlp-block');
    expect(provider.requests.at(-1)?.body).toContain('219-09-9987');
    await expectUntouched();
    expect(await target.metrics()).toMatch(
      /gateway_check_verdicts_total\{check="dlp",verdict="deny",type="dlp_quarantine",enforced="false"[^}]*\} 1/,
    );
    expect(target.logs()).not.toContain(SECRET);
    expect(target.logs()).not.toContain('219-09-9987');
  });
});

describe('what a provider that folds case would read and nobody here', () => {
  it.each([
    ['beside what is read', { role: 'user', content: 'hi', Content: 'x' }],
    ['in its place', { role: 'user', content: [{ type: 'text', Text: 'x' }] }],
  ])('is refused, %s', async (_where, message) => {
    const before = provider.requests.length;
    const body = { model: 'flat', max_tokens: 100, messages: [message] };
    expectRefusal(await ask({ path: MESSAGES, body }), 400, 'invalid_request');
    expectRefusal(await ask({ body }), 400, 'invalid_request');
    expect(provider.requests.length).toBe(before);
  });
});

describe('server.dlp.requests', () => {
  const prompt = {
    model: 'flat',
    max_tokens: 9,
    messages: [
      { role: 'system', content: 'You serve ann.lee@shop.example.org.' },
      { role: 'user', content: [{ type: 'text', text: `My key is ${SECRET}` }] },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'pay', arguments: '{"card":4539148803436467}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'paid by (212) 555-0187' },
    ],
    tools: [
      { type: 'function', function: { name: 'pay', description: 'Reaches 10.20.30.40', parameters: {} } },
    ],
    user: 'ann.lee@shop.example.org',
  };

  it('off: they go as they are', async () => {
    await ask({ body: prompt });
    expect(JSON.parse(provider.requests.at(-1)?.body ?? '')).toEqual(prompt);
  });

  it('mask: the provider sees ***, in every role, in arguments and tools', async () => {
    const target = await variant({ requests: 'mask' });
    const reply = await ask({ target, body: prompt });
    expect(reply.status).toBe(200);
    expect(reply.headers).not.toHaveProperty('x-gateway-dlp-redacted');
    const sent = provider.requests.at(-1);
    expect(sent?.headers['content-length']).toBe(String(Buffer.byteLength(sent?.body ?? '')));
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      ...prompt,
      messages: [
        { role: 'system', content: 'You serve ***.' },
        { role: 'user', content: [{ type: 'text', text: 'My key is ***' }] },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'pay', arguments: '{"card":"***"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'paid by ***' },
      ],
      tools: [{ type: 'function', function: { name: 'pay', description: 'Reaches ***', parameters: {} } }],
      user: '***',
    });
    await expectUntouched();
  });

  it('deny: 403 that names the classes; nothing is sent, locked or scored', async () => {
    const target = await variant({ requests: 'deny' });
    const before = provider.requests.length;
    const reply = await ask({ target, body: prompt });
    expectRefusal(reply, 403, 'policy_denied');
    const reason =
      'the request holds secrets, email addresses, payment card numbers, phone numbers, private network addresses';
    expect(reply.headers['x-gateway-block-reason']).toBe(reason);
    expect(reply.headers['x-gateway-dlp-block']).toBe('true');
    expect(provider.requests.length).toBe(before);
    await expectUntouched();
  });

  describe('calls of MCP servers', () => {
    const call = (to: string): object => ({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'mail', arguments: { to, subject: 'hi' } },
    });
    const mcp = (): ConfigInput => ({
      mcp: { enabled: true, servers: [{ name: 'post', url: provider.url }] },
    });
    const path = '/mcp/post/tools/call';

    it('mask: the server sees *** in the arguments, and in the header that repeats one', async () => {
      const target = await variant({ enabled: false, requests: 'mask' }, mcp());
      provider.answer({ body: '{"jsonrpc":"2.0","id":7,"result":{"content":[]}}' });
      const headers = {
        accept: 'application/json, text/event-stream',
        'mcp-param-to': `=?base64?${Buffer.from('ann.lee@shop.example.org').toString('base64')}?=`,
        'mcp-param-subject': 'hi',
      };
      const reply = await ask({ target, path, headers, body: call('ann.lee@shop.example.org') });
      expect([reply.status, reply.body]).toEqual([200, '{"jsonrpc":"2.0","id":7,"result":{"content":[]}}']);
      const sent = provider.requests.at(-1);
      expect(JSON.parse(sent?.body ?? '')).toEqual(call('***'));
      expect([sent?.headers['mcp-param-to'], sent?.headers['mcp-param-subject']]).toEqual(['***', 'hi']);
    });

    it('deny: a JSON-RPC error that the agent can read', async () => {
      const target = await variant({ enabled: false, requests: 'deny' }, mcp());
      const before = provider.requests.length;
      const headers = { accept: 'application/json, text/event-stream' };
      const reply = await ask({ target, path, headers, body: call('ann.lee@shop.example.org') });
      expect(reply.status).toBe(200);
      expect(JSON.parse(reply.body)).toEqual({
        jsonrpc: '2.0',
        id: 7,
        error: {
          code: -32001,
          message: 'Error: tool [mail] blocked. Reason: the request holds email addresses',
          data: {
            type: 'policy_denied',
            reason: 'the request holds email addresses',
            tool_name: 'mail',
            rule: 'dlp',
          },
        },
      });
      expect(reply.headers['x-gateway-dlp-block']).toBe('true');
      expect(provider.requests.length).toBe(before);
      await expectUntouched();
    });
  });
});
