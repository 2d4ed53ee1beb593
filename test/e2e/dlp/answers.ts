import { gzipSync, brotliCompressSync } from 'node:zlib';
import { it, expect } from 'vitest';
import { expectRefusal } from '../budgets/rig.ts';
import { makeSecret, seededRandom } from '../../unit/detectors/secrets/samples.ts';
import { readAccount } from '../../support/account.ts';
import {
  provider,
  chat,
  ask,
  expectMasked,
  expectUntouched,
  MESSAGES,
  CHAT,
  SECRET,
  expectQuarantined,
  lockMs,
  gateway,
  key,
  taintsOf,
} from './rig.ts';

/** Opened by `proxy.unknown_endpoints`. */
const UNKNOWN = '/openai/v1/things';
const GENERATE = '/gemini/v1beta/models/gemini-2.5-flash:generateContent';

/** Made-up samples of the classes in docs/dlp.md: a sentence with a finding, and the sentence after masking. */
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

function messages(text: string): string {
  const usage = '{"input_tokens":5,"output_tokens":7}';
  return `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":${JSON.stringify(text)}}],"usage":${usage}}`;
}

function candidate(text: string): string {
  const content = `{"role":"model","parts":[{"text":${JSON.stringify(text)}}]}`;
  return `{"candidates":[{"content":${content},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":7}}`;
}

export function masked(): void {
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

  it('masks findings split over texts that clients join', async () => {
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
    provider.answer({ headers: { 'x-ms-debug': 'asked by ann.lee@shop.example.org' }, body: chat('Fine.') });
    const reply = await ask();
    expectMasked(reply, chat('Fine.'));
    expect(reply.headers['x-ms-debug']).toBe('asked by ***');
  });

  it('leaves an answer without findings unchanged, byte for byte', async () => {
    const body = chat('Order 20240117-88 \u2014 10,000 units at v1.2.3.4, 50 % off \ud83d\ude00');
    provider.answer({ body });
    const reply = await ask();
    expect(reply.body).toBe(body);
    expect(reply.headers).not.toHaveProperty('x-gateway-dlp-redacted');
  });

  it('masks the text of a provider’s error, and keeps its status', async () => {
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
  ] as const)('masks an answer in %s, and sends it uncompressed', async (coding, compress) => {
    provider.answer({
      headers: { 'content-encoding': coding },
      body: compress(chat('Write to ann.lee@shop.example.org today.')),
    });
    const reply = await ask();
    expectMasked(reply, chat('Write to *** today.'));
    expect(reply.headers).not.toHaveProperty('content-encoding');
  });

  it.each(['text/html', 'audio/mpeg', 'application/octet-stream', 'x'])(
    'masks a JSON answer of an unknown endpoint declared as %s',
    async (contentType) => {
      provider.answer({ headers: { 'content-type': contentType }, body: chat('SSN 219-09-9987 it is.') });
      expectMasked(await ask({ path: UNKNOWN }), chat('SSN *** it is.'));
    },
  );

  it('masks a finding that zero-width characters interrupt, and leaves those of other scripts alone', async () => {
    const flags = '\u{1f3f4}\u{e0067}\u{e0062}\u{e007f} \u0645\u06cc\u200c\u062e';
    const hidden = [...'4539148803436467'].join('\u200b');
    provider.answer({ body: chat(`${flags} ${hidden}, ann.lee@sh\u00adop.example.org`) });
    expectMasked(await ask(), chat(`${flags} ***, ***`));
    provider.answer({ body: chat(flags) });
    expect((await ask()).body).toBe(chat(flags));
  });

  it('empties token ids if something was masked', async () => {
    const ids = (list: string): string => `,"token_ids":${list}`;
    provider.answer({ body: chat('SSN 219-09-9987 it is.', ids('[5,6]')) });
    expectMasked(await ask(), chat('SSN *** it is.', ids('[]')));
  });

  it('masks truncated JSON of an unknown endpoint', async () => {
    const cut = (who: string): string => `{"choices":[{"message":{"content":"Write to ${who} tod`;
    provider.answer({ body: cut('ann.lee@shop.example.org') });
    expectMasked(await ask({ path: UNKNOWN }), cut('***'));
  });

  it('masks both of two duplicate members', async () => {
    const twice = (one: string, two: string): string => `{"choices":[],"text":"${one}","text":"${two}"}`;
    provider.answer({ body: twice('219-09-9987', 'ann.lee\\u0040shop.example.org') });
    expectMasked(await ask(), twice('***', '***'));
  });

  it('refuses an unreadable answer', async () => {
    const wide = Buffer.from(chat('SSN 219-09-9987 it is.'), 'utf16le');
    provider.answer({ headers: { 'content-type': 'application/json; charset=utf-16' }, body: wide });
    expectRefusal(await ask(), 502, 'upstream_unavailable');
    provider.answer({ headers: { 'content-type': 'audio/wav' }, body: wide });
    expectRefusal(await ask(), 502, 'upstream_unavailable');
  });
}

export function quarantined(): void {
  it.each([
    ['choice message content', CHAT, chat(`The key is ${SECRET}.`)],
    ['content text', MESSAGES, messages(`The key is ${SECRET}.`)],
    ['candidate part text', GENERATE, candidate(`The key is ${SECRET}.`)],
    ['a provider’s error', CHAT, `{"error":{"message":"bad key ${SECRET}"}}`],
    ['a page of HTML', UNKNOWN, `<html>${SECRET}</html>`],
    ['JSON that is broken off', UNKNOWN, `{"choices":[{"message":{"content":"${SECRET}`],
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

  it('finds a secret split over texts that clients join', async () => {
    const [first, second] = [SECRET.slice(0, 9), SECRET.slice(9)];
    const block = (text: string): string => `{"type":"text","text":"${text}"}`;
    provider.answer({ body: `{"type":"message","content":[${block(first)},${block(second)}]}` });
    await expectQuarantined(await ask({ path: MESSAGES }), 'secrets');
  });

  it('finds a secret in a header of the answer', async () => {
    provider.answer({ headers: { 'x-ms-debug': `key=${SECRET}` }, body: chat('Fine.') });
    const reply = await ask();
    await expectQuarantined(reply, 'secrets');
    expect(JSON.stringify(reply.headers)).not.toContain(SECRET);
  });

  it('charges the key, since the provider bills a withheld answer', async () => {
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
}
