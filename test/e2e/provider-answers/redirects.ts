import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { readAccount } from '../../support/account.ts';
import { answer, answerWith, ask, CALLS, gateways, key } from './rig.ts';
import { startRecorder } from '../../support/recorder.ts';

const SECRET_PATH = 'steal-7f3a';
const ELSEWHERE = `https://elsewhere.example:8443/${SECRET_PATH}?token=t0ken-9`;
const SEEN = /elsewhere|steal|t0ken/;

export function redirects(): void {
  it.each(Object.keys(CALLS))(
    'from %s end at the gateway, in both formats and in shadow mode',
    async (name) => {
      answer(307, { location: ELSEWHERE, 'content-type': 'application/json' }, '{"at":"elsewhere"}');
      for (const gateway of ['plain', 'shadow'] as const) {
        const reply = await ask(name, gateway);
        expect(reply.status).toBe(502);
        expect(JSON.parse(reply.body)).toMatchObject({ type: 'upstream_unavailable' });
        expect(JSON.stringify(reply)).not.toMatch(SEEN);
      }
    },
  );

  it.each<[number, Readonly<Record<string, string>>]>([
    [300, { location: ELSEWHERE }],
    [301, { location: ELSEWHERE }],
    [302, { location: `//elsewhere.example/${SECRET_PATH}` }],
    [303, { location: ELSEWHERE }],
    [304, { location: ELSEWHERE }],
    [304, {}],
    [305, { location: ELSEWHERE }],
    [307, { refresh: `0; url=${ELSEWHERE}` }],
    [307, { location: `/other/${SECRET_PATH}` }],
    [307, { location: 'http://[steal' }],
    [307, {}],
    [308, { location: ELSEWHERE, 'content-type': 'text/event-stream' }],
    [399, { location: ELSEWHERE }],
  ])('of status %i with %o are 502', async (status, headers) => {
    answer(status, headers);
    const reply = await ask('openai');
    expect(reply.status).toBe(502);
    expect(JSON.parse(reply.body)).toMatchObject({
      type: 'upstream_unavailable',
      error: `the provider redirected the request (HTTP ${String(status)}), which the gateway does not follow: an operator can set providers.openai.base_url to the final URL`,
    });
    expect(JSON.stringify(reply)).not.toMatch(SEEN);
  });

  it.each<[string, string]>([
    [ELSEWHERE, 'elsewhere.example:8443'],
    [`https://user:pass-77@elsewhere.example/${SECRET_PATH}`, 'elsewhere.example'],
    [`/v2/${SECRET_PATH}`, 'another path on the same host'],
    [`javascript:${SECRET_PATH}`, 'a URL without a host'],
    ['http://[', 'an invalid URL'],
  ])('are logged only with the host that %s leads to', async (location, host) => {
    answer(307, { location });
    const id = String((await ask('openai')).headers['x-gateway-request-id']);
    const lines = (): string[] => gateways.plain.logs().split('\n');
    await expect
      .poll(() => lines().find((line) => line.includes(id) && line.includes('"status":502')))
      .toContain(`"note":"redirected (307) to ${host}"`);
    expect(gateways.plain.logs()).not.toMatch(/steal|t0ken|pass-77/);
  });

  it('do not include a 304 to a GET without a location', async () => {
    answer(304, { 'content-location': ELSEWHERE });
    const reply = await ask('openai models');
    expect([reply.status, reply.body]).toEqual([304, '']);
    expect(JSON.stringify(reply)).not.toMatch(SEEN);
    answer(304, { location: ELSEWHERE });
    expect((await ask('openai models')).status).toBe(502);
  });

  it.each([
    [301, 'the reservation'],
    [302, 'the reservation'],
    [303, 'the reservation'],
    [307, 'nothing'],
    [308, 'nothing'],
  ])('of status %i cost %s', async (status, charged) => {
    const { rawKey, keyHash } = await gateways.plain.createKey({}, { monthly: 1 });
    answer(status, { location: ELSEWHERE });
    expect((await ask('openai', 'plain', { rawKey })).status).toBe(502);
    const spent = charged === 'nothing' ? 0 : 100 * 1_000;
    await expect.poll(() => readAccount(gateways.plain.redis, keyHash)).toEqual({ spent, reserved: 0 });
  });

  describe('that SDKs would follow', () => {
    it.each([301, 302, 303, 307, 308])('lead none elsewhere with status %i', async (status) => {
      const elsewhere = await startRecorder();
      const moved = `${elsewhere.url}/${SECRET_PATH}`;
      answerWith((response) => response.writeHead(status, { location: moved }).end());
      const { baseUrl } = gateways.plain;
      const headers = { 'X-Gateway-Provider-Key': 'sk-provider-0123456789' };
      const openai = new OpenAI({
        apiKey: key.rawKey,
        baseURL: `${baseUrl}/openai/v1`,
        defaultHeaders: headers,
        maxRetries: 0,
      });
      const anthropic = new Anthropic({
        apiKey: key.rawKey,
        baseURL: `${baseUrl}/anthropic`,
        defaultHeaders: headers,
        maxRetries: 0,
      });
      const messages = [{ role: 'user' as const, content: 'hi' }];
      await expect(
        openai.chat.completions.create({ model: 'flat', max_tokens: 9, messages }),
      ).rejects.toMatchObject({ status: 502 });
      await expect(
        anthropic.messages.create({ model: 'flat', max_tokens: 9, messages }),
      ).rejects.toMatchObject({ status: 502 });
      expect(elsewhere.requests).toEqual([]);
      await elsewhere.close();
    });
  });
}
