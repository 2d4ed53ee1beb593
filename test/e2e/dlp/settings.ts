import { setTimeout as sleep } from 'node:timers/promises';
import { it, expect, describe } from 'vitest';
import { expectRefusal } from '../budgets/rig.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import {
  variant,
  provider,
  chat,
  SECRET,
  expectQuarantined,
  ask,
  expectMasked,
  expectUntouched,
  taintsOf,
  key,
  gateway,
  MESSAGES,
} from './rig.ts';

export function settings(): void {
  it('quarantine_duration: the lock lasts this long', async () => {
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

  it('scan_secrets, scan_pii, scan_network: disabled classes are not searched for', async () => {
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

  it('enabled false: nothing is searched', async () => {
    const target = await variant({ enabled: false });
    provider.answer({ body: chat(`The key is ${SECRET}.`) });
    expect((await ask({ target })).body).toBe(chat(`The key is ${SECRET}.`));
    await expectUntouched();
  });

  it('server.shadow_mode: nothing is masked, cut, locked or scored; everything is recorded', async () => {
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
    await expect
      .poll(() => target.metrics())
      .toMatch(
        /gateway_check_verdicts_total\{check="dlp",verdict="deny",type="dlp_quarantine",enforced="false"[^}]*\} 1/,
      );
    expect(target.logs()).not.toContain(SECRET);
    expect(target.logs()).not.toContain('219-09-9987');
  });
}

export function foldedCase(): void {
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
}

export function requests(): void {
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

  it('off: they are sent unchanged', async () => {
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
      'the request contains secrets, email addresses, payment card numbers, phone numbers, private network addresses: leave them out';
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
          message: 'Error: tool [mail] blocked. Reason: the request contains email addresses: leave them out',
          data: {
            type: 'policy_denied',
            reason: 'the request contains email addresses: leave them out',
            tool_name: 'mail',
            rule: 'dlp',
            findings: [
              {
                rule: 'dlp',
                detector: 'email',
                finding: 'email_address',
                class: 'email',
                place: 'params.arguments',
                role: 'assistant',
                kind: 'tool_arguments',
              },
            ],
          },
        },
      });
      expect(reply.headers['x-gateway-dlp-block']).toBe('true');
      expect(provider.requests.length).toBe(before);
      await expectUntouched();
    });
  });
}
