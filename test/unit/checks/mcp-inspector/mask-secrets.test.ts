import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import {
  ATTACK,
  AWS_KEY,
  event,
  GITHUB_TOKEN,
  inspector,
  messagesIn,
  REMOVED,
  result,
  textResult,
} from './rig.ts';

/** `mcp.inspector.secrets: mask`: secrets are removed, and the agent gets the rest. */
const masking = (options: Parameters<typeof inspector>[0] = {}) =>
  inspector({ ...options, inspector: { secrets: 'mask' } });

const PLACES: readonly (readonly [string, (words: string) => JsonObject])[] = [
  ['a text', (words) => textResult(words)],
  ['structured content', (words) => result({ content: [], structuredContent: { rows: [{ note: words }] } })],
  ['JSON in a text', (words) => textResult(JSON.stringify({ env: { KEY: words } }))],
  ['a resource', (words) => result({ contents: [{ uri: 'a://b', mimeType: 'text/plain', text: words }] })],
  ['a prompt', (words) => result({ messages: [{ role: 'user', content: { type: 'text', text: words } }] })],
  ['a completion', (words) => result({ completion: { values: ['fine', words] } })],
  ['an error', (words) => ({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: words } })],
];

describe('a whole answer', () => {
  it.each(PLACES)(
    'with a secret in %s continues without it; its key is scored, and not locked',
    async (_place, make) => {
      const rig = masking();
      const { body, denial, headers } = await rig.whole(make(`The key is ${AWS_KEY}, keep it.`));
      expect(denial).toBeUndefined();
      expect(JSON.parse(body)).toEqual(make('The key is ***, keep it.'));
      expect(headers.get('x-gateway-response-redacted')).toBe('true');
      expect(headers.has('x-gateway-policy-block')).toBe(false);
      expect(rig.leaks).toEqual([
        expect.objectContaining({ findings: [expect.stringMatching(/^aws_access_key_id:/)], lockMs: 0 }),
      ]);
      expect(rig.audited).toMatchObject([{ action: 'redacted', enforced: true }]);
    },
  );

  it('continues without it and without a score under mask_unscored', async () => {
    const rig = inspector({ inspector: { secrets: 'mask_unscored' } });
    const { body, denial } = await rig.whole(textResult(`The key is ${AWS_KEY}, keep it.`));
    expect([denial, JSON.parse(body)]).toEqual([undefined, textResult('The key is ***, keep it.')]);
    expect(rig.leaks).toEqual([]);
    expect(rig.audited).toMatchObject([{ action: 'redacted', enforced: true }]);
  });

  it('loses secrets and attacks together', async () => {
    const { body } = await masking().whole(textResult(`${ATTACK}. ${GITHUB_TOKEN} and ${AWS_KEY}`));
    expect(JSON.parse(body)).toEqual(textResult(`${REMOVED}. *** and ***`));
  });

  it('in Base64, or in an HTTP error’s text, loses them too', async () => {
    const blob = (text: string): JsonObject =>
      result({ contents: [{ uri: 'a://b', blob: Buffer.from(text).toString('base64') }] });
    const { body } = await masking().whole(blob(`key ${AWS_KEY} end`));
    expect(JSON.parse(body)).toEqual(blob('key *** end'));
    const failed = await masking().whole(`no access with ${AWS_KEY}`, {
      status: 500,
      contentType: 'text/plain',
    });
    expect([failed.denial, failed.body]).toEqual([undefined, 'no access with ***']);
  });

  it('is refused if a secret is the message’s id', async () => {
    expect((await masking().whole(textResult('fine', AWS_KEY))).denial?.type).toBe('upstream_unavailable');
  });

  it('is sent once its key is scored, or without a score if that fails, which is reported', async () => {
    const order: string[] = [];
    const rig = masking({
      reportSecretLeak: async () => {
        await Promise.resolve();
        order.push('scored');
        throw new Error('Redis is gone');
      },
    });
    const { body } = await rig.whole(textResult(AWS_KEY));
    order.push('sent');
    expect([order, body.includes(AWS_KEY), rig.failures.length]).toEqual([['scored', 'sent'], false, 1]);
  });

  it('is unchanged in shadow mode, and scores no key', async () => {
    const rig = masking({ shadowMode: true });
    const { body } = await rig.whole(textResult(AWS_KEY));
    expect(JSON.parse(body)).toEqual(textResult(AWS_KEY));
    expect([rig.leaks, rig.verdicts.map(({ enforced }) => enforced)]).toEqual([[], [false]]);
  });
});

describe('a stream', () => {
  it.each(PLACES)('continues without a secret in %s, cut at any byte', async (_place, make) => {
    const text = event(make(`The key is ${AWS_KEY}, keep it.`));
    for (let at = 1; at < text.length; at += 17) {
      const rig = masking();
      const { body, denial } = await rig.stream([
        text.slice(0, at),
        text.slice(at),
        event(textResult('more', 2)),
      ]);
      expect(denial).toBeUndefined();
      expect(messagesIn(body)).toEqual([make('The key is ***, keep it.'), textResult('more', 2)]);
      expect(body).toContain(': x-gateway-response-redacted=true');
      expect(body).not.toContain('x-gateway-policy-block');
      expect(rig.leaks).toMatchObject([{ lockMs: 0 }]);
    }
  });
});
