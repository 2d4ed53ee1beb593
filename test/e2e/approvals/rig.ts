import { vi, expect, beforeAll, afterAll, afterEach, beforeEach } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { type PolicyRig, startPolicyRig } from '../../support/policy-rig.ts';
import type { TestGateway, TestKey } from '../../support/gateway.ts';
import { type Reply, send } from '../../support/http.ts';
import type { Escalation } from '../../../src/escalation/escalation.ts';
import { KEY_NAMES } from '../../../src/redis/keys.ts';
import { signApproval } from '../../../src/escalation/approval.ts';
import { startRecorder, type Recorder } from '../../support/recorder.ts';

/** docs/approvals.md: approvals of escalated requests, and the Envoy timers that they outlast. */
const CHAT = '/openai/v1/chat/completions';
const SECRET = 'the secret of all approvers';
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const POLICY = `package gateway.policy

escalate contains "a dear model" if input.request.model == "gpt-4-dear"
quarantine contains "a forbidden model" if input.request.model == "gpt-4-forbidden"
escalate contains "say is dangerous" if input.request.tool_name == "echo"
`;
/** Shorter than the wait for a person here, so that each of Envoy's timers would fire first. */
export const SHORT = { read: '1s', upstream: '2s', redis: '200ms' } as const;

export let rig: PolicyRig;
export let gateway: TestGateway;
export let key: TestKey;

/** `alerting.webhook_url`. */
let receiver: Recorder;
export const alerts: { readonly type: string; readonly data: Record<string, unknown> }[] = [];

export function approvalsOn(zsp: object) {
  return {
    zsp: { escalation_enabled: true, escalation_secret: SECRET, ...zsp },
    server: { read_timeout: SHORT.read },
    proxy: { upstream_timeout: SHORT.upstream },
    redis: { read_timeout: SHORT.redis },
    pricing: { overrides: { 'gpt-4-dear': { input: 1, output: 1 } } },
  };
}

export function ask(
  more: { signal?: AbortSignal; key?: TestKey; at?: TestGateway; model?: string; prompt?: string } = {},
): Promise<Reply> {
  const { at = gateway, key: of = key, signal, model = 'gpt-4-dear', prompt = 'hi' } = more;
  return send(at.baseUrl, {
    path: CHAT,
    body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }] }),
    headers: headersOf(of),
    ...(signal !== undefined && { signal }),
  });
}

export function headersOf({ rawKey }: TestKey) {
  return {
    authorization: `Bearer ${rawKey}`,
    'x-gateway-provider-key': 'sk-provider-0123456789',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
}

/** The pending requests of a key, as stored in Redis. */
export async function waitingOf({ keyHash }: TestKey, count = 1): Promise<readonly Escalation[]> {
  return vi.waitFor(
    async () => {
      const { client } = rig.redis;
      const ids = await client.zrange('gateway:escalation:pending', 0, -1);
      const records = await Promise.all(ids.map((id) => client.get(`gateway:escalation:${id}`)));
      const own = records
        .flatMap((json) => (json === null ? [] : [JSON.parse(json) as Escalation]))
        .filter(({ key_hash }) => key_hash === keyHash);
      expect(own).toHaveLength(count);
      return own;
    },
    { timeout: 5_000, interval: 20 },
  );
}

export async function oneOf(of = key): Promise<Escalation> {
  const [one] = await waitingOf(of);
  if (one === undefined) throw new Error('nothing waits');
  return one;
}

export function signed(asked: Escalation, changes: object = {}, secret = SECRET): string {
  const { id, nonce, key_hash, request_digest, expiry } = asked;
  const unsigned = {
    id,
    nonce,
    key_hash,
    request_digest,
    expiry,
    decision: 'approve' as const,
    approver: 'eve',
  };
  return JSON.stringify(signApproval({ ...unsigned, ...changes }, secret));
}

export const channelOf = ({ id }: Escalation): string => `gateway:escalation:approvals:${id}`;
export function useRig(): void {
  beforeAll(async () => {
    receiver = await startRecorder(({ headers }, response, body) => {
      alerts.push(new Webhook(WEBHOOK_SECRET).verify(body, headers as never) as (typeof alerts)[number]);
      response.writeHead(204).end();
    });
    const alerting = {
      webhook_url: `${receiver.url}/`,
      secret: WEBHOOK_SECRET,
      events: ['quarantine' as const, 'escalation' as const],
    };
    rig = await startPolicyRig({ files: { 'a.rego': POLICY } });
    gateway = await rig.start(
      {},
      {
        ...approvalsOn({ escalation_timeout: '20s' }),
        alerting,
        credentials: { held: { provider: 'openai', from: { env: 'TEST_HELD_KEY' } } },
      },
      { TEST_HELD_KEY: 'sk-held-0123456789' },
    );
  });
  afterAll(async () => {
    await rig.close();
    await receiver.close();
  });
  beforeEach(async () => {
    key = await gateway.createKey({ name: 'planner' });
  });
  // The name is free again.
  afterEach(async () => {
    await gateway.redis.client.hdel(KEY_NAMES, 'planner');
  });
}
