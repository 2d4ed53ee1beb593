import { describe, expect, it } from 'vitest';
import { verifyJson } from '../../verify/run-verify.ts';
import { folder, policyJson, put, useRig } from './rig.ts';

useRig();

const CARD = `metadata: { name: traces }
rules:
  - name: nothing-after-a-secret
    match: { tool: write }
    conditions:
      - { field: session_sequence, op: contains_matching_trace, value: { type: mcp_tool_response, content_regex: '(?i)top\\s+secret' } }
    action: deny
`;
const base64 = (said: string) => Buffer.from(said).toString('base64');

describe('policy test and verify remember an answer as the gateway does', () => {
  it.each<[string, unknown, boolean]>([
    ['a text', 'this is TOP  secret', true],
    ['a disguised text', 'top s\u200becr\u0435t', true],
    ['content', { content: [{ type: 'text', text: 'top secret' }] }, true],
    ['parts', { content: ['top', 'secret'].map((text) => ({ type: 'text', text })) }, true],
    ['structured content', { structuredContent: { deep: [{ of: 'top secret' }] } }, true],
    [
      'a resource',
      { content: [{ type: 'resource', resource: { uri: 'a://b', blob: base64('top secret') } }] },
      true,
    ],
    ['an error', { isError: true, content: [{ type: 'text', text: 'top secret' }] }, true],
    ['another text', { structuredContent: { of: 'secret', at: 'top' } }, false],
  ])('%s', async (_what, answer, isDenied) => {
    put('card.yaml', CARD);
    const walk = {
      name: 'walk',
      steps: [
        { call: { type: 'mcp_tool_call', tool_name: 'read' }, expect: 'none', answer },
        { call: { type: 'mcp_tool_call', tool_name: 'write' }, expect: isDenied ? 'deny' : 'none' },
      ],
    };
    put('card_test.yaml', JSON.stringify([walk]));
    const { code, json } = await policyJson(['test', folder]);
    expect([code, json]).toMatchObject([0, { tests: [{ outcome: 'pass' }] }]);

    const { report } = await verifyJson(
      ['--policy-dir', folder],
      [
        { type: 'mcp_tool_call', tool_name: 'read', arguments: {} },
        { type: 'mcp_tool_response', result: answer },
        { type: 'mcp_tool_call', tool_name: 'write', arguments: {} },
      ],
    );
    expect(report.violations.map(({ index, rule }) => [index, rule])).toEqual(
      isDenied ? [[2, 'nothing-after-a-secret']] : [],
    );
  });

  it('of a resource that was read, too', async () => {
    put('card.yaml', CARD.replace('tool: write', 'type: mcp_prompt_get'));
    const answer = { contents: [{ uri: 'memo://a', text: 'top secret' }] };
    const read = { type: 'mcp_resource_read', resource_uri: 'memo://a' };
    const walk = {
      name: 'walk',
      steps: [
        { call: read, expect: 'none', answer },
        { call: { type: 'mcp_prompt_get', prompt_name: 'p' }, expect: 'deny' },
      ],
    };
    put('card_test.yaml', JSON.stringify([walk]));
    const { json } = await policyJson(['test', folder]);
    expect(json).toMatchObject({ tests: [{ outcome: 'pass' }] });
    const { report } = await verifyJson(
      ['--policy-dir', folder],
      [
        { type: 'mcp_resource_read', uri: 'memo://a' },
        { type: 'mcp_tool_response', result: answer },
        { type: 'mcp_prompt_get', prompt_name: 'p' },
      ],
    );
    expect(report.violations.map(({ index }) => index)).toEqual([2]);
  });
});
