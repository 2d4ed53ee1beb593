import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { ATTACK, AWS_KEY, event, inspector, messagesIn, REMOVED, textResult } from './rig.ts';

const progress = (message: string): JsonObject => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 1, progress: 1, message },
});
const log = (data: unknown): JsonObject => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data },
});
const sampling = (text: string): JsonObject => ({
  jsonrpc: '2.0',
  id: 's-1',
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 10 },
});

const BLOCKED_REASON = 'the answer contains a secret (aws_access_key_id), which was removed';
const blocked = (id: string | number): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: -32001,
    message: `Error: tool [read] blocked. Reason: ${BLOCKED_REASON}`,
    data: {
      type: 'policy_denied',
      reason: BLOCKED_REASON,
      tool_name: 'read',
      rule: 'aws_access_key_id',
      result: { content: [{ type: 'text', text: 'key ***' }] },
    },
  },
});

describe('a stream', () => {
  it('without findings passes byte for byte, comments, ids and empty events too', async () => {
    const rig = inspector();
    const bytes = `: hello\n\nid: 7\ndata: \n\n${event(progress('half'), 'message')}id: 8\r\n${event(textResult('done'))}`;
    const { body, denial } = await rig.stream([bytes]);
    expect([body, denial]).toEqual([bytes, undefined]);
    expect([rig.audited, rig.verdicts]).toEqual([[], []]);
  });

  it.each([
    ['a progress message', progress],
    ['logged text', log],
    ['logged data', (words: string) => log({ rows: [{ a: words }] })],
    ['a prompt for a model', sampling],
    ['a result', textResult],
    ['an error', (message: string) => ({ jsonrpc: '2.0', id: 1, error: { code: -1, message } })],
  ])('loses an attack in %s, and reports it at its end', async (_place, make) => {
    const rig = inspector();
    const { body } = await rig.stream([
      event(progress('first')),
      event(make(`a. ${ATTACK}.`)),
      event(textResult('b')),
    ]);
    expect(messagesIn(body)).toEqual([progress('first'), make(`a. ${REMOVED}.`), textResult('b')]);
    expect(body).toMatch(/\n: x-gateway-response-redacted=true\n\n$/);
    expect(rig.verdicts).toEqual([
      { kind: 'rewrite', reason: 'removed: dismiss_instructions', enforced: true },
    ]);
  });

  it('has an error with the same id instead of a response with a secret, after the key is locked', async () => {
    const order: string[] = [];
    const rig = inspector({
      reportSecretLeak: async ({ lockMs }) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        order.push(`locked for ${String(lockMs)}`);
      },
    });
    const { body } = await rig.stream([event(progress('first')), event(textResult(`key ${AWS_KEY}`))]);
    expect(order).toEqual(['locked for 3600000']);
    expect(messagesIn(body)).toEqual([progress('first'), blocked(1)]);
    expect(body).toMatch(/: x-gateway-response-redacted=true x-gateway-policy-block=true\n\n$/);
    expect(body).not.toContain(AWS_KEY);
  });

  it('has the error with the id of the answered request', async () => {
    const { body } = await inspector().stream([event(textResult(`key ${AWS_KEY}`, 'resumed-7'))], {
      body: undefined,
    });
    expect(messagesIn(body)).toMatchObject([
      {
        jsonrpc: '2.0',
        id: 'resumed-7',
        error: { code: -32001, message: expect.stringContaining('message blocked') },
      },
    ]);
  });

  it.each([
    ['a notification', log],
    ['a request of the server', sampling],
  ])('masks a secret in %s, and locks the key', async (_place, make) => {
    const rig = inspector();
    const { body } = await rig.stream([event(make(`key ${AWS_KEY}`)), event(textResult('done'))]);
    expect(messagesIn(body)).toEqual([make('key ***'), textResult('done')]);
    expect(rig.leaks).toHaveLength(1);
  });

  it('sends the masked event if the lock cannot be set, and reports that', async () => {
    const rig = inspector({ reportSecretLeak: () => Promise.reject(new Error('Redis is gone')) });
    expect(messagesIn((await rig.stream([event(textResult(`key ${AWS_KEY}`))])).body)).toEqual([blocked(1)]);
    expect(rig.failures).toEqual([new Error('Redis is gone')]);
  });

  it.each([
    ['plain text', 'Soup'],
    ['JSON that is not a message', '{"a":1}'],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"result":{}}]'],
    ['a duplicate member', `{"jsonrpc":"2.0","id":1,"result":{},"result":{"a":"${ATTACK}"}}`],
    ['broken JSON', '{"jsonrpc":"2.0","id":1,"result":{"a":"b"'],
  ])('is cut at an event that is not a message: %s', async (_name, data) => {
    const { body, denial } = await inspector().stream([
      event(progress('first')),
      event(data),
      event(textResult('b')),
    ]);
    expect(denial).toMatchObject({ kind: 'deny', type: 'upstream_unavailable' });
    expect(messagesIn(body)).toMatchObject([progress('first'), { id: 1, error: { code: -32000 } }]);
    expect(body).not.toContain(ATTACK);
  });

  it.each(['ping', 'endpoint'])('passes events that are only for the transport: %s', async (name) => {
    const bytes = event('/messages?session=1', name) + event('{"a":1}', name);
    expect((await inspector().stream([bytes])).body).toBe(bytes);
  });

  it('loses attacks and secrets in events for the transport, in text and in JSON', async () => {
    const rig = inspector();
    const { body } = await rig.stream([
      event(`go on. ${ATTACK}.`, 'ping'),
      event({ a: ATTACK }, 'ping'),
      event(`key ${AWS_KEY}`, 'ping'),
    ]);
    expect(
      body.startsWith(
        event(`go on. ${REMOVED}.`, 'ping') + event({ a: REMOVED }, 'ping') + event('key ***', 'ping'),
      ),
    ).toBe(true);
    expect(rig.leaks).toHaveLength(1);
  });

  it('loses comments with a finding', async () => {
    const { body } = await inspector().stream([
      `: ${ATTACK}\n\n: fine\n\n: ${AWS_KEY}\n${event(textResult('b'))}`,
    ]);
    expect(body).not.toContain(ATTACK);
    expect(body).not.toContain(AWS_KEY);
    expect(messagesIn(body)).toEqual([textResult('b')]);
  });

  it.each(['\u2028', '\u2029', '\x85', '\v', '\f', '\x1c'])(
    'is cut if some clients would see an event in it: %j',
    async (lineEnd) => {
      const hidden = `${lineEnd}${lineEnd}data: ${JSON.stringify(textResult('b'))}${lineEnd}${lineEnd}`;
      for (const bytes of [
        `: a${hidden}\n\n`,
        `id: a${hidden}\n${event(progress('c'))}`,
        event(`a${hidden}`, 'ping'),
      ]) {
        const { denial, body } = await inspector().stream([bytes]);
        expect(denial).toMatchObject({ type: 'upstream_unavailable' });
        expect(body).not.toContain('"b"');
      }
    },
  );

  it('keeps such characters in the strings of a message, where they cannot end an event', async () => {
    const bytes = event(textResult('a\u2028\u2028data: {}\u2029\x85b'));
    expect((await inspector().stream([bytes])).body).toBe(bytes);
  });

  it('loses attacks and secrets of a message that spans many lines', async () => {
    const lines = JSON.stringify(textResult(`key ${AWS_KEY}`), null, 1).split('\n');
    const { body } = await inspector().stream([`${lines.map((line) => `data: ${line}`).join('\n')}\n\n`]);
    expect(messagesIn(body)).toEqual([blocked(1)]);
  });

  it('changes, locks and scores nothing in shadow mode', async () => {
    const rig = inspector({ shadowMode: true });
    const bytes = event(log(`key ${AWS_KEY}`)) + event(textResult(ATTACK)) + event(textResult(AWS_KEY));
    const { body } = await rig.stream([bytes]);
    expect(body).toBe(bytes);
    expect(rig.leaks).toEqual([]);
    expect(rig.verdicts.map(({ enforced }) => enforced)).toEqual([false, false, false]);
    expect(rig.audited.map(({ action, enforced }) => [action, enforced])).toEqual([
      ['blocked', false],
      ['redacted', false],
      ['blocked', false],
    ]);
  });

  it('is judged in the same way wherever its bytes are cut', async () => {
    const bytes = Buffer.from(`${event(log(`kéy ${AWS_KEY}`))}${event(textResult(`a. ${ATTACK}.`))}`);
    const rig = inspector();
    const whole = (await rig.stream([bytes])).body;
    expect(whole).toContain(REMOVED);
    for (let at = 1; at < bytes.length; at += 1) {
      const { body } = await rig.stream([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(body).toBe(whole);
    }
  }, 30_000);
});
