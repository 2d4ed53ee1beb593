import { spawn } from 'node:child_process';
import { it, expect, vi } from 'vitest';
import { cli, expectRefusal } from '../budgets/rig.ts';
import { gatewayProgram } from '../../support/parts.ts';
import { serveUntilExit } from '../../support/gateway.ts';
import {
  ask,
  oneOf,
  gateway,
  alerts,
  key,
  rig,
  approvalsOn,
  waitingOf,
  SHORT,
  channelOf,
  signed,
} from './rig.ts';

export function webhook(): void {
  it('is sent to the webhook, like the lock of a key', async () => {
    const reply = ask();
    const { id, nonce } = await oneOf();
    await cli(gateway, 'escalations', 'deny', id, '--as', 'ada');
    await reply;
    expectRefusal(await ask({ model: 'gpt-4-forbidden' }), 403, 'policy_denied');
    const told = () => alerts.filter(({ data }) => data['key_hash'] === key.keyHash);
    await expect.poll(told).toMatchObject([
      { type: 'escalation.requested', data: { id, key_name: 'planner', model: 'gpt-4-dear' } },
      { type: 'key.quarantined', data: { trigger: 'quarantine', lock_seconds: 3_600, blocked: false } },
    ]);
    expect(JSON.stringify(told())).not.toContain(nonce);
  });
}

export function watch(): void {
  it('prints each request for watchers, in lines of JSON', async () => {
    const child = spawn(
      process.execPath,
      [await gatewayProgram(), '--config', gateway.configFile, 'escalations', 'watch', '--output', 'json'],
      { env: { ...process.env, SERVER_INSECURE_DEV: 'true' }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const events = (): { type: string }[] =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { type: string });
    try {
      const reply = ask();
      const { id } = await oneOf();
      await vi.waitFor(() => expect(events()).toContainEqual(expect.objectContaining({ id })), 10_000);
      await cli(gateway, 'escalations', 'deny', id, '--as', 'ada');
      await reply;
      const resolved = { type: 'escalation.resolved', id, outcome: 'denied', approver: 'ada' };
      await vi.waitFor(() => expect(events()).toContainEqual(resolved), 10_000);
      expect(text).not.toContain('nonce');
    } finally {
      child.kill();
    }
  });
}

export function shortWaits(): void {
  it('is 504 escalation_timeout if unanswered, and refused at once if too many wait', async () => {
    const narrow = await rig.start({}, approvalsOn({ escalation_timeout: '3s', max_pending: 1 }));
    const other = await narrow.createKey();
    const first = ask({ at: narrow });
    await oneOf();
    const another = await ask({ at: narrow, key: other });
    expectRefusal(another, 503, 'gateway_unavailable');
    expect(another.body).toContain('too many requests are waiting');
    expect(another.headers['retry-after']).toBe('10');
    expectRefusal(await first, 504, 'escalation_timeout');
    await waitingOf(key, 0);
    expect(await narrow.stop()).toBe(0);
  });

  it('leaves places to other keys over two gateways, and refuses a key that has its share', async () => {
    const narrow = approvalsOn({ escalation_timeout: '60s', max_pending: 20 });
    const light = await rig.start({}, narrow);
    const gateways = [light, await rig.start({}, narrow)];
    const other = await gateway.createKey();
    const heavy = gateways.flatMap((at) =>
      ['one', 'two', 'three'].map((prompt) => ask({ at, prompt: `${prompt} at ${at.baseUrl}` })),
    );
    // A tenth of `max_pending`: the other four are refused at once, while these two wait.
    const over: Awaited<ReturnType<typeof ask>>[] = [];
    for (const reply of heavy) void reply.then((refused) => over.push(refused));
    await vi.waitFor(() => expect(over).toHaveLength(4), 10_000);
    for (const reply of over) {
      expectRefusal(reply, 429, 'rate_limited');
      expect(reply.body).toContain('too many requests of this key are waiting');
      expect(reply.headers['retry-after']).toBe('10');
    }
    const asked = ask({ at: light, key: other });
    const waiting = await oneOf(other);
    await rig.redis.client.publish(channelOf(waiting), signed(waiting));
    expect((await asked).status).toBe(200);
    for (const held of await waitingOf(key, 2)) {
      await rig.redis.client.publish(channelOf(held), signed(held));
    }
    const replies = await Promise.all(heavy);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(2);
    for (const one of gateways) expect(await one.stop()).toBe(0);
  });

  it('accepts answers while it drains, and leaves nothing pending afterwards', async () => {
    const leaving = await rig.start(
      {},
      {
        ...approvalsOn({ escalation_timeout: '60s' }),
        server: { read_timeout: SHORT.read, drain_timeout: '3s' },
      },
    );
    const other = await leaving.createKey();
    const [answered, unanswered] = [ask({ at: leaving }), ask({ at: leaving, key: other })];
    const [asked, open] = [await oneOf(), await oneOf(other)];
    const stopped = leaving.stop();
    await rig.redis.client.publish(channelOf(asked), signed(asked));
    expect((await answered).status).toBe(200);
    expect(await unanswered).toMatchObject({ cut: true });
    expect(await stopped).toBe(0);
    await waitingOf(other, 0);
    expect((await cli(gateway, 'escalations', 'approve', open.id, '--as', 'ada')).code).toBe(1);
  });

  it('refuses to start without a secret', async () => {
    const { code, output } = await serveUntilExit(
      { zsp: { escalation_enabled: true } },
      { SERVER_INSECURE_DEV: 'true' },
    );
    expect(code).not.toBe(0);
    expect(output).toContain('zsp.escalation_secret');
  });
}

export function redisAway(): void {
  it('refuses pending requests with 503 if Redis goes away', async () => {
    const reply = ask();
    await oneOf();
    await rig.redis.stop();
    try {
      expectRefusal(await reply, 503, 'redis_unavailable');
    } finally {
      await rig.redis.start();
    }
  });
}
