import { beforeAll, it, expect } from 'vitest';
import { rig, auth, refused, post, call, forwarded } from './rig.ts';

export function forbiddenTools(): void {
  let limited: Record<string, string>;
  beforeAll(async () => {
    const access = await rig.access('files', { key: { allowedTools: ['echo'] } });
    limited = { ...auth, ...access.headers };
  });

  it.each(['/mcp/files', '/mcp/files/tools/call'])(
    'is refused equally at %s, with HTTP 200',
    async (path) => {
      const reply = await refused(() => post(call('rm', {}, 'call-7'), { path, headers: limited }));
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({
        'content-type': 'application/json',
        'x-gateway-policy-block': 'true',
        'x-gateway-block-reason': expect.stringMatching(/^[\x20-\x7e]{1,256}$/) as string,
      });
      const { error, ...rest } = JSON.parse(reply.body) as { error: Record<string, unknown> };
      expect(rest).toEqual({ jsonrpc: '2.0', id: 'call-7' });
      expect(error).toEqual({
        code: -32001,
        message: `Error: tool [rm] blocked. Reason: ${String(reply.headers['x-gateway-block-reason'])}`,
        data: {
          type: 'policy_denied',
          reason: reply.headers['x-gateway-block-reason'],
          tool_name: 'rm',
          rule: 'allowed_tools',
          findings: [{ rule: 'allowed_tools', detector: 'mcp', place: 'params.name' }],
        },
      });
      await forwarded(call('echo'), { path, headers: limited });
    },
  );

  it.each([
    ['line breaks', 'rm\r\nx-evil: 1'],
    ['letters of all kinds', 'rm \u{1f5d1} \u202e käse'],
    ['quotes', 'rm"],"id":5,"x":["'],
    ['much of it', 'rm'.repeat(5_000)],
    ['a name of the machinery', '__proto__'],
  ])('is refused under any name: %s', async (_what, name) => {
    const reply = await refused(() => post(call(name), { headers: limited }));
    expect([reply.status, reply.headers['x-evil']]).toEqual([200, undefined]);
    const { id, error } = JSON.parse(reply.body) as { id: number; error: { code: number; message: string } };
    expect([id, error.code]).toEqual([1, -32001]);
    expect(error.message.length).toBeLessThan(400);
    expect(error.message).not.toMatch(/[\n\r\u202e]/);
  });
}

export function freeTools(): void {
  it('a key with a spent budget may call tools, since they are free', async () => {
    const { rawKey: poor } = await rig.gateway.createKey({}, { daily: 0 });
    await forwarded(call('echo'), { headers: { authorization: `Bearer ${poor}` } });
  });
}
