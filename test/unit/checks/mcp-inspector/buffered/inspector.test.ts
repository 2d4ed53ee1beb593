import { describe, expect, it } from 'vitest';
import { toolCall } from '../../../../support/mcp-exchange.ts';
import { ATTACK, AWS_KEY, GITHUB_TOKEN, inspector, result, textResult } from '../rig.ts';

describe('the inspector', () => {
  it('has no hooks if MCP is disabled', () => {
    const { check } = inspector({ mcpEnabled: false });
    expect(check).toEqual({ name: 'mcp-inspector', shadowable: true });
  });

  it('ignores answers of providers', async () => {
    const { check } = inspector();
    const exchange = { form: 'whole', answer: { whole: undefined } } as never;
    expect(await check.response?.(exchange, {})).toEqual({ kind: 'pass' });
    expect(check.stream?.(exchange, {})).toBeUndefined();
  });

  it('changes, locks and scores nothing in shadow mode, and records what it would do', async () => {
    const rig = inspector({ shadowMode: true });
    const attack = await rig.whole(textResult(ATTACK));
    const leak = await rig.whole(textResult(AWS_KEY));
    expect([attack.body, leak.body]).toEqual(
      [textResult(ATTACK), textResult(AWS_KEY)].map((said) => JSON.stringify(said)),
    );
    expect([...attack.headers.keys()].filter((name) => name.startsWith('x-gateway-response'))).toEqual([]);
    expect(rig.leaks).toEqual([]);
    expect(rig.verdicts.map(({ kind, enforced }) => [kind, enforced])).toEqual([
      ['rewrite', false],
      ['deny', false],
    ]);
    expect(rig.audited.map(({ action, enforced }) => [action, enforced])).toEqual([
      ['redacted', false],
      ['blocked', false],
    ]);
  });

  it('reports finding and place to the audit, and no text', async () => {
    const rig = inspector();
    await rig.whole(
      result({
        content: [{ type: 'text', text: `a ${ATTACK}` }],
        structuredContent: { [GITHUB_TOKEN.slice(0, 8)]: AWS_KEY },
      }),
      {
        asked: { body: toolCall('read'), key: { keyHash: 'sha256:abc' } },
      },
    );
    expect(rig.audited).toEqual([
      {
        event: 'tool_response_inspected',
        requestId: expect.any(String),
        keyHash: 'sha256:abc',
        server: 'files',
        tool: 'read',
        action: 'blocked',
        enforced: true,
        findings: [
          {
            rule: 'aws_access_key_id',
            class: 'secret',
            path: 'result.structuredContent.*',
            start: 0,
            end: 20,
            digest: expect.stringMatching(/^[\w-]{22}$/),
          },
          {
            rule: 'dismiss_instructions',
            class: 'override',
            path: 'result.content.0.text',
            start: 2,
            end: 2 + ATTACK.length,
            digest: expect.stringMatching(/^[\w-]{22}$/),
          },
        ],
      },
    ]);
    expect(JSON.stringify(rig.audited)).not.toMatch(new RegExp(`${AWS_KEY}|previous`));
  });
});
