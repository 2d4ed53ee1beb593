import { describe, expect, it } from 'vitest';
import { READABLE_PARAMETERS, UNREADABLE_PARAMETERS } from '../../../../support/charsets.ts';
import { ATTACK, AWS_KEY, inspector, REMOVED, textResult } from '../rig.ts';

describe('an answer that is not a message', () => {
  const REFUSED = { type: 'upstream_unavailable' };

  it.each<[string, string | Buffer]>([
    ['plain text', 'Soup'],
    ['HTML', `<html>${ATTACK}</html>`],
    ['broken JSON', '{"jsonrpc":"2.0","id":1,"result":{}'],
    ['a duplicate member', `{"jsonrpc":"2.0","id":1,"result":{"content":[]},"result":{"a":"${ATTACK}"}}`],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['JSON that is not a message', '{"result":{}}'],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"result":{}}'],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"result":{}}]'],
    ['a message without a method or a result', '{"jsonrpc":"2.0","id":1}'],
    ['null', 'null'],
  ])('is refused if a message is required: %s', async (_name, said) => {
    const { denial } = await inspector().whole(said);
    expect(denial).toMatchObject(REFUSED);
    expect(JSON.stringify(denial)).not.toContain(ATTACK);
  });

  it('is also refused if its type is JSON or a stream', async () => {
    for (const contentType of ['application/json', 'text/event-stream', 'text/html', undefined]) {
      expect((await inspector().whole('Soup', { contentType })).denial).toMatchObject(REFUSED);
    }
  });

  it.each([
    ['nothing', ''],
    ['a word', 'Accepted'],
    ['JSON', '{"ok":true}'],
  ])('passes after a notification without a finding: %s', async (_name, said) => {
    const asked = { body: { jsonrpc: '2.0', method: 'notifications/initialized' } };
    expect(await inspector().whole(said, { asked, status: 202, contentType: 'text/plain' })).toMatchObject({
      body: said,
      denial: undefined,
    });
  });

  it('is text if the server reports an error, and loses attacks', async () => {
    const { body, headers } = await inspector().whole(`Not here. ${ATTACK}.`, {
      status: 404,
      contentType: 'text/plain',
    });
    expect(body).toBe(`Not here. ${REMOVED}.`);
    expect(headers.get('x-gateway-response-redacted')).toBe('true');
  });

  it('is JSON of any form if the server reports an error, and loses attacks', async () => {
    const { body } = await inspector().whole({ error: `no. ${ATTACK}.`, code: 3 }, { status: 500 });
    expect(JSON.parse(body)).toEqual({ error: `no. ${REMOVED}.`, code: 3 });
  });

  it('is withheld if an error contains a secret', async () => {
    const rig = inspector();
    const { denial } = await rig.whole(`denied for ${AWS_KEY}`, { status: 401, contentType: 'text/plain' });
    expect(denial?.type).toBe('policy_denied');
    expect(JSON.stringify(denial)).not.toContain(AWS_KEY);
    expect(rig.leaks).toHaveLength(1);
  });

  it.each<[string, string | Buffer, string]>([
    ['bytes', Buffer.from([0xff, 0xfe, 0x49]), 'text/plain'],
    ['text in another encoding', ATTACK, 'text/plain; charset=utf-16'],
    ['text in another encoding, in quotes', ATTACK, 'text/plain; charset="utf-7"'],
    ['JSON in another encoding', '{"a":"soup"}', 'application/json; charset=utf-7'],
  ])('is refused if the content of an error is unreadable: %s', async (_name, said, contentType) => {
    expect((await inspector().whole(said, { status: 500, contentType })).denial).toMatchObject(REFUSED);
  });

  it('is refused if a message is declared in another character set', async () => {
    const contentType = 'application/json;charset=UTF-16LE';
    expect((await inspector().whole(textResult('soup'), { contentType })).denial).toMatchObject(REFUSED);
    const plain = 'application/json; charset=utf-8';
    expect((await inspector().whole(textResult('soup'), { contentType: plain })).denial).toBeUndefined();
  });

  it.each(READABLE_PARAMETERS)('is read if its type continues with %j', async (parameters) => {
    const contentType = `application/json${parameters}`;
    expect((await inspector().whole(textResult('soup'), { contentType })).denial).toBeUndefined();
  });

  it.each(UNREADABLE_PARAMETERS)('is refused if its type continues with %j', async (parameters) => {
    const contentType = `application/json${parameters}`;
    expect((await inspector().whole(textResult('soup'), { contentType })).denial).toMatchObject(REFUSED);
  });

  it.each(['id', 'method', 'jsonrpc'])(
    'is refused if a finding that cannot be masked is in its %s',
    async (name) => {
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'notifications/a',
        params: {},
        [name]: name === 'jsonrpc' ? '2.0' : ATTACK,
      };
      const asked = { body: { jsonrpc: '2.0', method: 'notifications/initialized' } };
      const { denial } = await inspector().whole(message, { asked });
      if (name === 'jsonrpc') expect(denial).toBeUndefined();
      else expect(denial).toMatchObject(REFUSED);
    },
  );
});
