import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Events } from '../../support/provider-account.ts';
import { startSharedAccounts, type SharedAccounts } from './rig.ts';

/** The owner of an object is recorded before its id reaches the client, in every form of answers. */

const CONVERSATION = '0197f3a2b4c57d8e9f0011223344';

let rig: SharedAccounts;
beforeAll(async () => {
  rig = await startSharedAccounts({
    unknown_endpoints: [
      'POST /mistral/v1/conversations',
      'POST /mistral/v1/conversations/*',
      'POST /openai/v1/vector_stores',
      'GET /openai/v1/vector_stores',
      'GET /openai/v1/vector_stores/*',
    ],
  });
});
afterAll(() => rig.close());

const ids = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}_68a7c1d2e3f40516${String(index)}`);

describe('the owner of an object is known', () => {
  it('if the provider compresses its answer, and a compressed stream is refused', async () => {
    const asks = { model: 'gpt-4o', input: 'hi' };
    rig.account.gzips = true;
    const { body } = await rig.ask(rig.ada, '/openai/v1/responses', asks);
    const streamed = await rig.ask(rig.ada, '/openai/v1/responses', { ...asks, stream: true });
    rig.account.gzips = false;
    const previous_response_id = /resp_[0-9a-z]+/.exec(body)?.[0];
    await rig.expectAdas('/openai/v1/responses', { ...asks, previous_response_id });
    expect([streamed.status, streamed.body]).toEqual([502, expect.not.stringContaining('resp_')]);
  });

  it('after each turn of a conversation', async () => {
    let asks: Record<string, unknown> = { model: 'gpt-4o', input: 'hi' };
    for (let turn = 1; turn <= 3; turn += 1) {
      const { body } = await rig.ask(rig.ada, '/openai/v1/responses', { ...asks, stream: turn === 2 });
      asks = { ...asks, previous_response_id: /resp_[0-9a-z]+/.exec(body)?.[0] };
      await rig.expectAdas('/openai/v1/responses', asks);
    }
  });

  it('in a stream of an endpoint that the gateway cannot read', async () => {
    const id = `conv_${CONVERSATION}`;
    rig.account.fixed = new Events([
      { type: 'conversation.response.started', conversation_id: id },
      { type: 'message.output.delta', id: 'msg_1', content: 'hi' },
      { type: 'conversation.response.done', usage: {} },
    ]);
    const { body } = await rig.ask(rig.ada, '/mistral/v1/conversations', { inputs: 'hi', stream: true });
    rig.account.fixed = undefined;
    expect(body).toContain(id);
    await rig.expectAdas(`/mistral/v1/conversations/${id}`, { inputs: 'and?' });
  });

  it('with many requests of both keys at once', async () => {
    const asks = { model: 'gpt-4o', input: 'hi' };
    const made = await Promise.all(
      [rig.ada, rig.bob].flatMap((key) =>
        Array.from({ length: 12 }, async (_, index) => {
          const { body } = await rig.ask(key, '/openai/v1/responses', { ...asks, stream: index % 2 > 0 });
          return { key, id: /resp_[0-9a-z]+/.exec(body)?.[0] };
        }),
      ),
    );
    const statuses = await Promise.all(
      made.flatMap(({ key: owner, id }) =>
        [rig.ada, rig.bob].map(async (key) => {
          const { status } = await rig.ask(key, '/openai/v1/responses', {
            ...asks,
            previous_response_id: id,
          });
          return [key === owner, status];
        }),
      ),
    );
    for (const [isOwner, status] of statuses) expect(status).toBe(isOwner ? 200 : 404);
  });

  it('in a list, compressed or not', async () => {
    const [own = '', ...others] = ids(3, 'vs');
    await rig.make('/openai/v1/vector_stores', { name: 'x' }, { id: own });
    for (const gzips of [false, true]) {
      rig.account.gzips = gzips;
      const data = [...others, own].map((id) => ({ id }));
      const { body } = await rig.make('/openai/v1/vector_stores', undefined, { object: 'list', data });
      rig.account.gzips = false;
      expect(JSON.parse(body)).toEqual({ object: 'list', data: [{ id: own }] });
    }
  });
});

describe('without Redis', () => {
  it('no answer that is under way gives anything away', async () => {
    const before = rig.account.arrived.length;
    const released = Promise.withResolvers<undefined>();
    rig.account.hold = released.promise;
    const [id = ''] = ids(1, 'secret');
    rig.account.fixed = { id, object: 'list', data: [{ id }] };
    const running = [
      rig.ask(rig.bob, '/openai/v1/vector_stores'),
      rig.ask(rig.bob, '/openai/v1/vector_stores', { name: 'x' }),
    ];
    await expect.poll(() => rig.account.arrived.length).toBe(before + 2);
    await rig.gateway.redis.stop();
    released.resolve(undefined);
    for (const { status, body } of await Promise.all(running)) {
      expect([status, body]).toEqual([503, expect.stringContaining('redis_unavailable')]);
      expect(body).not.toContain(id);
    }
    const named = await rig.ask(rig.ada, `/openai/v1/vector_stores/${id}`);
    expect([named.status, rig.account.arrived.length]).toEqual([503, before + 2]);
  });
});
