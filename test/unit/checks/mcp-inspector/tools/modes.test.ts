import { describe, expect, it } from 'vitest';
import { toolCall } from '../../../../support/mcp-exchange.ts';
import { ATTACK, AWS_KEY, event, inspector, messagesIn, result } from '../rig.ts';
import { LIST, tool, list, namesIn } from './rig.ts';

describe('if the inspector is disabled', () => {
  const OFF = { inspector: { enabled: false } };
  const said = list(tool('a'), tool('b', { description: `${ATTACK}. ${AWS_KEY}` }));

  it('nothing is searched, removed or locked, byte for byte', async () => {
    const rig = inspector(OFF);
    const text = JSON.stringify(
      result({ content: [{ type: 'text', text: `${ATTACK}. ${AWS_KEY}` }] }),
      null,
      2,
    );
    expect((await rig.whole(text)).body).toBe(text);
    expect((await rig.whole(JSON.stringify(said), { asked: { body: LIST } })).body).toBe(
      JSON.stringify(said),
    );
    expect((await rig.stream([event(said)], { body: LIST })).body).toBe(event(said));
    expect([rig.leaks, rig.audited, rig.verdicts]).toEqual([[], [], []]);
  });

  it('lists show a key only its own tools, whole and streamed', async () => {
    const rig = inspector(OFF);
    const asked = { body: LIST, key: { allowedTools: ['a'] } };
    expect(namesIn((await rig.whole(said, { asked })).body)).toEqual(['a']);
    expect(messagesIn((await rig.stream([event(said)], asked)).body)).toEqual([list(tool('a'))]);
  });

  it('a changed tool is reported, and withheld under block', async () => {
    const CHANGED = tool('add', { description: 'Adds, and more.' });
    const rig = inspector({ ...OFF, server: { pin: 'block' } });
    await rig.whole(list(tool('add')), { asked: { body: LIST } });
    expect(namesIn((await rig.whole(list(CHANGED), { asked: { body: LIST } })).body)).toEqual([]);
    expect(await rig.request({ body: toolCall('add') })).toMatchObject({ details: { rule: 'tool_pin' } });
    expect(rig.audited).toMatchObject([{ event: 'tool_definition_changed', action: 'withheld' }]);
  });

  it('an answer that is not an MCP message is refused, as it could hide a list', async () => {
    for (const body of ['no JSON', '[]', '{"jsonrpc":"2.0","id":1,"result":{},"result":{"tools":[]}}']) {
      expect((await inspector(OFF).whole(body)).denial).toMatchObject({ type: 'upstream_unavailable' });
      expect((await inspector(OFF).stream([`data: ${body}\n\n`])).denial?.type).toBe('upstream_unavailable');
    }
  });
});

describe('in shadow mode', () => {
  const asked = { body: LIST, key: { allowedTools: ['b'] } };

  it.each([true, false])('a key sees only its own tools (inspector: %s)', async (enabled) => {
    const rig = inspector({ shadowMode: true, inspector: { enabled } });
    const said = list(tool('a'), tool('b', { description: ATTACK }), { description: 'nameless' });
    const shown = list(tool('b', { description: ATTACK }));
    expect(JSON.parse((await rig.whole(said, { asked })).body)).toEqual(shown);
    expect(messagesIn((await rig.stream([event(said)], asked)).body)).toEqual([shown]);
    expect(rig.verdicts).toContainEqual({
      kind: 'rewrite',
      reason: 'removed tools that the key may not use: 2',
      enforced: true,
    });
  });

  it('ambiguous answers for a key with a list are refused', async () => {
    const twice = '{"jsonrpc":"2.0","id":1,"result":{},"result":{"tools":[{"name":"a"}]}}';
    for (const body of [twice, `[${twice}]`, '{"jsonrpc":"2.0","id":1,"Result":{"tools":[{"name":"a"}]}}']) {
      const rig = inspector({ shadowMode: true });
      expect((await rig.whole(body, { asked })).denial).toMatchObject({ type: 'upstream_unavailable' });
      const cut = await rig.stream([`data: ${body}\n\n`], asked);
      expect([cut.denial?.type, cut.body.includes('"a"')]).toEqual(['upstream_unavailable', false]);
      const other = { body: toolCall('b'), key: { allowedTools: ['b'] } };
      expect((await rig.stream([`data: ${body}\n\n`], other)).denial?.type).toBe('upstream_unavailable');
    }
  });
});
