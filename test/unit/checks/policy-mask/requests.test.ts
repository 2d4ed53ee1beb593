import { describe, expect, it } from 'vitest';
import { PASS, type Check } from '../../../../src/pipeline/check.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { mcpExchange, toolCall } from '../../../support/mcp-exchange.ts';
import { CARD, dlp, EMAIL, parsed, SSN } from '../dlp/rig.ts';
import { contains, detects, inArgument, judged, maskRig, regex, rule, sendRequest } from './rig.ts';

const chat = (messages: readonly unknown[], more: JsonObject = {}) => parsed({ body: { messages, ...more } });
const user = (content: unknown) => ({ role: 'user', content });

describe('a request that a mask rule matches', () => {
  it.each([
    ['a literal', contains('Falcon'), 'Project Falcon', 'Project ***'],
    ['a regular expression', regex('PRJ-\\d+'), 'see PRJ-12', 'see ***'],
    ['a detector', detects('ssn'), `it is ${SSN}.`, 'it is ***.'],
    ['a disguise', contains('Ignore'), 'I-g-n-o-r-e that', '*** that'],
  ])('is sent with *** instead of %s', async (_what, pattern, text, expected) => {
    const rig = maskRig();
    const { body } = await sendRequest(rig, judged(chat([user(text)]), rule('names', pattern)));
    expect(body).toBe(JSON.stringify({ model: 'gpt-4o', messages: [user(expected)] }));
    expect(rig.verdicts).toEqual([
      expect.objectContaining({ kind: 'rewrite', reason: 'masked in the request: names', enforced: true }),
    ]);
  });

  it.each([
    ['in one object', { card: CARD, cvv: '123' }, { card: CARD, cvv: '***' }],
    ['with the code first', { cvv: '123', card: CARD }, { cvv: '***', card: CARD }],
  ])('is forwarded without the code of a card beside it: %s', async (_how, args, expected) => {
    const exchange = judged(mcpExchange({ body: toolCall('pay', args) }), rule('codes', detects('cvv')));
    const { body = '' } = await sendRequest(maskRig(), exchange);
    expect(JSON.parse(body)).toMatchObject({ params: { arguments: expected } });
  });

  it.each([
    ['a text', { messages: [user(`write to ${EMAIL}`)] }, 'write to ***'],
    ['in a member that no dialect knows', { messages: [user('hi')], note: { to: EMAIL } }, '"to":"***"'],
    [
      'in an argument beside a card',
      { messages: [user('hi')], pay: { card: CARD, cvv: '123' } },
      '"cvv":"***"',
    ],
  ])('is masked after data-loss prevention found nothing: %s', async (_where, body, expected) => {
    const { check } = dlp({ requests: 'mask', scan_pii: false, scan_network: false });
    const exchange = judged(parsed({ body }), rule('data', detects('email'), detects('cvv')));
    const sent = await sendRequest(maskRig([check]), exchange);
    expect(exchange.facts.searched).toBeDefined();
    expect(sent.body).toContain(expected);
  });

  it('is searched again if an edit followed data-loss prevention', async () => {
    const { check } = dlp({ requests: 'mask', scan_pii: false, scan_network: false });
    const editing: Check = {
      name: 'editing',
      shadowable: false,
      requestBody(exchange) {
        exchange.edits.push({ kind: 'set', path: ['messages', 0, 'content'], value: `now ${EMAIL}` });
        return PASS;
      },
    };
    const exchange = judged(chat([user('hi')]), rule('data', detects('email')));
    expect((await sendRequest(maskRig([check, editing]), exchange)).body).toContain('now ***');
  });

  it('is ignored by a rule that matches only words of the protocol', async () => {
    const exchange = judged(
      chat([user('hi'), { role: 'assistant', content: 'hello' }], {
        tools: [{ type: 'function', function: { name: 'read_user', parameters: { type: 'object' } } }],
      }),
      rule('words', contains('user'), contains('gpt'), contains('type'), contains('messages')),
    );
    const rig = maskRig();
    expect((await sendRequest(rig, exchange)).body).toBe(exchange.body.toString());
    expect(rig.verdicts).toEqual([]);
  });

  it('is masked in arguments of tools, which stay JSON, their names and numbers too', async () => {
    const args = JSON.stringify({ q: 'Falcon "x"', id: 12345678901 });
    const call = { id: 'call_1', type: 'function', function: { name: 'find', arguments: args } };
    const exchange = judged(
      chat([user('go'), { role: 'assistant', content: null, tool_calls: [call] }]),
      rule('names', contains('Falcon'), regex('\\d{11}')),
    );
    const { body = '' } = await sendRequest(maskRig(), exchange);
    const { messages } = JSON.parse(body) as { messages: { tool_calls?: (typeof call)[] }[] };
    const sent = messages[1]?.tool_calls?.[0]?.function.arguments ?? '';
    expect(JSON.parse(sent)).toEqual({ q: '*** "x"', id: '***' });
  });

  it('is refused if the match is the name of an argument', async () => {
    const rig = maskRig();
    const exchange = judged(
      mcpExchange({ body: toolCall('find', { 'Falcon one': 1 }) }),
      rule('names', contains('Falcon')),
    );
    const { denial } = await sendRequest(rig, exchange);
    expect(denial).toMatchObject({
      type: 'policy_denied',
      details: { toolName: 'find', rule: 'names' },
    });
    expect(denial?.message).not.toContain('Falcon');
  });

  it('is masked beside what DLP masks in the same text', async () => {
    const { check } = dlp({ requests: 'mask' });
    const rig = maskRig([check]);
    const exchange = judged(chat([user(`Falcon ${EMAIL} Falcon`)]), rule('names', contains('Falcon')));
    const { body } = await sendRequest(rig, exchange);
    expect(body).toBe(JSON.stringify({ model: 'gpt-4o', messages: [user('*** *** ***')] }));
  });

  it('is only recorded in shadow mode', async () => {
    const rig = maskRig([], true);
    const exchange = judged(chat([user('Falcon')]), rule('names', contains('Falcon')));
    expect((await sendRequest(rig, exchange)).body).toBe(exchange.body.toString());
    expect(rig.verdicts).toEqual([expect.objectContaining({ kind: 'rewrite', enforced: false })]);
  });

  it('is unchanged without rules', async () => {
    const rig = maskRig();
    const exchange = chat([user('Falcon')]);
    expect((await sendRequest(rig, exchange)).body).toBe(exchange.body.toString());
  });
});

describe('a rule about one argument', () => {
  async function masked(args: JsonObject) {
    const exchange = judged(
      mcpExchange({ body: toolCall('find', args) }),
      rule('sql', inArgument(['query', 'sql'], contains('drop'))),
    );
    return sendRequest(maskRig(), exchange);
  }

  it('masks only in that argument and below', async () => {
    const { body = '' } = await masked({ note: 'drop', query: { sql: ['drop it', 'keep'], other: 'drop' } });
    expect(JSON.parse(body)).toMatchObject({
      params: { arguments: { note: 'drop', query: { sql: ['*** it', 'keep'], other: 'drop' } } },
    });
  });

  it('refuses a name below it', async () => {
    expect((await masked({ query: { sql: { drop: 1 } } })).denial?.type).toBe('policy_denied');
    expect((await masked({ drop: { sql: 'x' } })).denial).toBeUndefined();
  });

  it('does not apply to the name of that argument', async () => {
    const exchange = judged(
      mcpExchange({ body: toolCall('find', { drop: 'drop it' }) }),
      rule('drop', inArgument(['drop'], contains('drop'))),
    );
    const { body = '', denial } = await sendRequest(maskRig(), exchange);
    expect(denial).toBeUndefined();
    expect(JSON.parse(body)).toMatchObject({ params: { arguments: { drop: '*** it' } } });
  });
});

describe('a request of 2 MiB', () => {
  const TEXT = 'Falcon is PRJ-1234 of somebody somewhere else. ';
  const RULES = [
    rule('names', contains('Falcon')),
    rule('ids', regex('PRJ-\\d+')),
    rule('ssn', detects('ssn')),
  ];

  /** The longest turn of the event loop, in ms of this thread's CPU. */
  async function longestTurn(): Promise<number> {
    const exchange = judged(chat([user(TEXT.repeat(2_000_000 / TEXT.length))]), ...RULES);
    let longest = 0;
    let last = cpuMs();
    let isOver = false;
    function tick(): void {
      longest = Math.max(longest, cpuMs() - last);
      last = cpuMs();
      if (!isOver) setImmediate(tick);
    }
    setImmediate(tick);
    expect((await sendRequest(maskRig(), exchange)).body).not.toContain('Falcon');
    isOver = true;
    return Math.max(longest, cpuMs() - last);
  }

  it('delays other work by less than 50 ms at a time', async () => {
    const turns = [await longestTurn(), await longestTurn(), await longestTurn()];
    expect(Math.min(...turns)).toBeLessThan(50);
  });
});

function cpuMs(): number {
  const { user: own, system } = process.threadCpuUsage();
  return (own + system) / 1_000;
}
