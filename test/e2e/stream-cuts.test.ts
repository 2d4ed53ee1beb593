import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { send } from '../support/http.ts';
import { createRandom } from '../support/random.ts';
import { startSdkRig, type SdkRig, type Transport } from '../support/sdk-rig.ts';
import { makeSecret } from '../unit/detectors/secrets/samples.ts';

/** docs/dlp-streams.md: a quarantine cuts the connection with an error frame, and the provider's stream with it. */

const TRANSPORTS: readonly Transport[] = [
  { name: 'of an HTTP/1.1 provider', tlsListener: false, http2Upstream: false },
  { name: 'of an HTTP/2 provider', tlsListener: false, http2Upstream: true },
];

const SECRET = makeSecret('aws_access_key_id', createRandom(9)).text;
const BEFORE = 'The key that you asked for is ';
/** At the pace of the test, half a minute of text. */
const AFTER = ' and some more words'.repeat(400);

describe.each(TRANSPORTS)('a cut stream $name', (transport) => {
  let rig: SdkRig;
  beforeAll(async () => {
    rig = await startSdkRig(transport, { server: { dlp: { enabled: true } } });
  });
  afterAll(() => rig.close());

  it('ends properly for its client, at once for its provider, and costs its visible part', async () => {
    const access = await rig.access('openai', 'path', 'key-0123456789');
    rig.provider.behave({ text: `${BEFORE}${SECRET}${AFTER}`, pieceDelayMs: 15 });
    const body = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hello' }] };
    const url = new URL(access.baseUrl);
    const reply = await send(url.origin, {
      path: `${url.pathname}/v1/chat/completions`,
      headers: { authorization: `Bearer ${access.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect({ status: reply.status, cut: reply.cut }).toEqual({ status: 200, cut: false });
    const parts = reply.body.split('\n\n').flatMap((part) => part.trim() || []);
    const frames = parts.filter((part) => part.startsWith('data: '));
    // The gateway's other messages follow the error, in comments.
    expect(parts.slice(parts.indexOf(frames.at(-1) ?? '') + 1)).toEqual([
      ': x-gateway-dlp-block=true',
      expect.stringMatching(/^: x-gateway-request-cost=0\.\d+ /),
    ]);
    const cut = frames.filter((frame) => frame.includes('dlp_quarantine'));
    expect(frames.slice(-2)).toEqual(cut);
    expect(cut.map((frame) => JSON.parse(frame.slice('data: '.length)) as unknown)).toEqual([
      expect.objectContaining({
        type: 'dlp_quarantine',
        error: expect.objectContaining({ type: 'dlp_quarantine' }),
      }),
      // For clients that ignore an error: different from a regular end.
      expect.objectContaining({
        type: 'dlp_quarantine',
        choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }],
      }),
    ]);
    expect(reply.body).not.toContain('[DONE]');
    expect(reply.body).not.toContain(SECRET);
    await vi.waitFor(() => expect(rig.provider.requests.at(-1)?.clientGone).toBe(true), { timeout: 5_000 });
    const whole = (BEFORE.length + SECRET.length + AFTER.length) / 4;
    const spent = await rig.spentUsd(access);
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThan((whole * 10) / 1e6);
  });
});
