import { expect, it, vi } from 'vitest';
import type { Script } from '../../support/fake-provider/index.ts';
import { expectRefusal, NEVER } from '../budgets/rig.ts';
import {
  newClient,
  fake,
  ask,
  expectAfter,
  UPSTREAM_TIMEOUT_MS,
  expectCharge,
  odd,
  type Client,
  type TimedReply,
} from './rig.ts';

export function upstreamTimeout(): void {
  it('late headers: 504', async () => {
    const client = await newClient();
    fake.behave({ hold: NEVER });
    const reply = await ask(client);
    expectRefusal(reply, 504, 'upstream_timeout');
    expectAfter(reply.ms, UPSTREAM_TIMEOUT_MS);
    await expectCharge(client, 'all');
    await vi.waitFor(() => expect(fake.requests.at(-1)?.clientGone).toBe(true));
  });

  it('late headers of a stream: 504', async () => {
    const client = await newClient();
    fake.behave({ hold: NEVER });
    expectRefusal(await ask(client, 'openai', { stream: true }), 504, 'upstream_timeout');
    await expectCharge(client, 'all');
  });

  it('a whole answer whose body stops: 504', async () => {
    const client = await newClient();
    fake.behave({ breakOff: { at: 1, how: 'stall' } });
    const reply = await ask(client);
    expectRefusal(reply, 504, 'upstream_timeout');
    expectAfter(reply.ms, UPSTREAM_TIMEOUT_MS);
    await expectCharge(client, 'all');
  });

  it('a whole answer whose body trickles: 504 too', async () => {
    const client = await newClient();
    const gone = odd.nextGone();
    const reply = await ask(client, 'mistral', { odd: 'trickle' });
    expectRefusal(reply, 504, 'upstream_timeout');
    expectAfter(reply.ms, UPSTREAM_TIMEOUT_MS);
    await gone;
    await expectCharge(client, 'all');
  });

  it('silence between two chunks cuts a stream', async () => {
    const client = await newClient();
    fake.behave({ holdStream: { afterPieces: 5, until: NEVER } });
    const reply = await ask(client, 'openai', { stream: true });
    expect([reply.status, reply.cut]).toEqual([200, true]);
    expect(reply.body).toContain('word1');
    expect(reply.body).not.toContain('[DONE]');
    expectAfter(reply.ms, UPSTREAM_TIMEOUT_MS);
    await expectCharge(client, 'all'); // the visible part and the slack exceed this small reservation
  });

  it('a slow and steady stream is not cut, even if it takes long', async () => {
    const client = await newClient();
    fake.behave({ outputTokens: 12, pieceDelayMs: 500 });
    const reply = await ask(client, 'openai', { stream: true });
    expect([reply.status, reply.cut]).toEqual([200, false]);
    expect(reply.body).toContain('[DONE]');
    expect(reply.ms).toBeGreaterThan(3 * UPSTREAM_TIMEOUT_MS);
    await expectCharge(client, 'a part');
  });
}

export function oddProviders(): void {
  async function broken(script: Script, stream = false): Promise<{ client: Client; reply: TimedReply }> {
    const client = await newClient();
    fake.behave(script);
    return { client, reply: await ask(client, 'openai', { stream }) };
  }

  it('refuses the connection: 502, and nothing is charged', async () => {
    const client = await newClient();
    expectRefusal(await ask(client, 'groq'), 502, 'upstream_unavailable');
    expectRefusal(await ask(client, 'groq', { stream: true }), 502, 'upstream_unavailable');
    await expectCharge(client, 'nothing');
  });

  it('resets before its headers: 502, and the reservation is charged', async () => {
    const { client, reply } = await broken({ breakOff: { at: 'before_headers', how: 'reset' } });
    expectRefusal(reply, 502, 'upstream_unavailable');
    await expectCharge(client, 'all');
  });

  it('cuts a whole answer: 502, and the reservation is charged', async () => {
    for (const at of ['after_headers', 1] as const) {
      const { client, reply } = await broken({ breakOff: { at, how: 'reset' } });
      expectRefusal(reply, 502, 'upstream_unavailable');
      await expectCharge(client, 'all');
    }
  });

  it('cuts a stream: the client sees a cut, never an end', async () => {
    const { client, reply } = await broken({ pieceDelayMs: 20, breakOff: { at: 5, how: 'reset' } }, true);
    expect([reply.status, reply.cut]).toEqual([200, true]);
    expect(reply.body).not.toContain('[DONE]');
    await expectCharge(client, 'all');
  });

  it('sends more than can be inspected at once: 502, and the reservation is charged', async () => {
    const client = await newClient();
    const reply = await ask(client, 'mistral', { odd: 'huge' });
    expectRefusal(reply, 502, 'upstream_unavailable');
    await expectCharge(client, 'all');
  });

  it('fails does not make the gateway fail', async () => {
    const client = await newClient();
    fake.behave({ outputTokens: 5 });
    expect((await ask(client)).status).toBe(200);
    await expectCharge(client, 'a part');
  });
}
