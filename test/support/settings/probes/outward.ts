import { createHmac, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { AUDIT_STREAM } from '../../../../src/redis/keys.ts';
import { asks, outcome, says, sentHeader, type AskedChat } from '../asking.ts';
import { startListener } from '../listener.ts';
import type { Bench, Probes, See } from '../probe.ts';

const hooks = await startListener();
const otherHooks = await startListener();
const folder = mkdtempSync(join(tmpdir(), 'settings-outward-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true, force: true });
});

/** Messages outside the request's path arrive within this time, or count as not sent. */
const ARRIVES_MS = 2_000;
const NOT_SENT_MS = 300;

const MAIL = 'jane@example.com';
const AWS_KEY = 'AKIAIOSFODNN7QWERTYU';

/** A call that takes a budget over 50 % of its limit. */
const HALF: AskedChat = {
  hourly: 0.02,
  body: { model: 'gpt-4o', max_tokens: 1_000, messages: [{ role: 'user', content: 'x' }] },
};
const THRESHOLD = { percent: 50, message: '{percent} of {window}' };
const ALERTS = { alerting: { webhook_url: `${hooks.url}/hook`, thresholds: [THRESHOLD] } };

interface Alert {
  readonly type: string;
  readonly data: { readonly threshold?: number; readonly message?: string };
}

/** Observes the alerts of a call. */
function alerted(asked: AskedChat, pick: (alert: Alert) => unknown, waitMs = ARRIVES_MS): See {
  return async (bench) => {
    await hooks.take(0);
    await asks(bench, asked);
    return (await hooks.take(waitMs)).map(({ body }) => pick(JSON.parse(body) as Alert));
  };
}

async function recordsOf(bench: Bench, asked: AskedChat): Promise<string> {
  const { client } = bench.redis;
  await client.del(AUDIT_STREAM);
  await asks(bench, asked);
  const deadline = Date.now() + ARRIVES_MS;
  while ((await client.xlen(AUDIT_STREAM)) === 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return JSON.stringify(await client.xrange(AUDIT_STREAM, '-', '+'));
}

function digest(secret: string): string {
  return createHmac('sha256', secret).update(MAIL).digest('base64url').slice(0, 22);
}

const ED25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const HMAC_SECRET = 'a secret of more than thirty-two bytes';

/** Observes the algorithm of the upstream signature. */
const algorithm: See = async (bench) => {
  const signature = await sentHeader('x-gateway-signature')(bench);
  if (typeof signature !== 'string') return undefined;
  const [head = ''] = signature.split('.');
  return (JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string }).alg;
};

/** Observes whether the upstream signature is made with this secret. */
const isSignedWithOurs: See = async (bench) => {
  const { upstream } = await asks(bench, {});
  const [head = '', , given] = (upstream?.headers['x-gateway-signature'] ?? '').split('.');
  const payload = Buffer.from(upstream?.body ?? '').toString('base64url');
  return createHmac('sha256', HMAC_SECRET).update(`${head}.${payload}`).digest('base64url') === given;
};

/** Observes how many requests contain spans, after the sidecar has sent all of them. */
async function exported(bench: Bench, listener = hooks): Promise<number> {
  await hooks.take(0);
  await otherHooks.take(0);
  await asks(bench, {});
  await (await bench.sidecar()).drain();
  return (await listener.take(NOT_SENT_MS)).filter(({ path }) => path === '/v1/traces').length;
}

const OTEL = { otel: { enabled: true, protocol: 'http' as const, endpoint: hooks.url } };

export const outwardProbes: Probes = {
  'alerting.webhook_url': {
    with: { alerting: { thresholds: [THRESHOLD] } },
    values: [undefined, `${hooks.url}/other`],
    see: async (bench) => {
      await hooks.take(0);
      await asks(bench, HALF);
      return (await hooks.take(NOT_SENT_MS * 3)).map(({ path }) => path);
    },
    expected: [[], ['/other']],
  },
  'alerting.secret': {
    with: ALERTS,
    values: ['', `whsec_${Buffer.alloc(32, 7).toString('base64')}`],
    see: async (bench) => {
      await hooks.take(0);
      await asks(bench, HALF);
      return (await hooks.take(ARRIVES_MS)).map(({ headers }) => headers['webhook-signature'] !== undefined);
    },
    expected: [[false], [true]],
  },
  'alerting.events': {
    with: { ...ALERTS, server: { dlp: { enabled: true } } },
    values: [[], ['quarantine']],
    see: alerted({ answer: says(`Take ${AWS_KEY}`) }, ({ type }) => type, NOT_SENT_MS * 3),
    expected: [[], ['key.quarantined']],
  },
  'alerting.thresholds[].percent': {
    at: ['alerting', 'thresholds', '0', 'percent'],
    with: ALERTS,
    values: [50, 40],
    see: alerted(HALF, ({ data }) => data.threshold),
    expected: [[50], [40]],
  },
  'alerting.thresholds[].message': {
    at: ['alerting', 'thresholds', '0', 'message'],
    with: ALERTS,
    values: ['one {percent}', 'other {window}'],
    see: alerted(HALF, ({ data }) => data.message),
    expected: [['one 62'], ['other hourly']],
  },
  'signature.enabled': {
    with: { signature: { secret: HMAC_SECRET } },
    values: [false, true],
    see: algorithm,
    expected: [undefined, 'HS256'],
  },
  'signature.type': {
    with: { signature: { enabled: true, secret: ED25519 } },
    values: ['hmac', 'ed25519'],
    see: algorithm,
    expected: ['HS256', 'EdDSA'],
  },
  'signature.secret': {
    with: { signature: { enabled: true } },
    values: [HMAC_SECRET, `${HMAC_SECRET}, or another`],
    see: isSignedWithOurs,
    expected: [true, false],
  },
  'metrics.budget_keys': {
    values: [0, 1],
    see: async (bench) => {
      await asks(bench, HALF);
      const seen = async () =>
        /^gateway_budget_used_ratio\{.*window="hourly"\} (\S+)$/m.exec(
          await (await bench.sidecar()).metrics(),
        )?.[1];
      for (let waited = 0; waited < 15 && (await seen()) === undefined; waited += 1) await sleep(100);
      return (await seen()) === undefined ? 'none' : 'shown';
    },
    expected: ['none', 'shown'],
  },
  'metrics.spend_models': {
    values: [0, 1],
    see: async (bench) => {
      await asks(bench, {});
      return /^gateway_model_spend_usd_total\{/m.test(await (await bench.sidecar()).metrics());
    },
    expected: [false, true],
  },
  'metrics.spend_owners': {
    values: [0, 1],
    see: async (bench) => {
      await asks(bench, {});
      return /^gateway_owner_spend_usd_total\{/m.test(await (await bench.sidecar()).metrics());
    },
    expected: [false, true],
  },
  'otel.enabled': {
    with: OTEL,
    values: [false, true],
    see: exported,
    expected: [0, 1],
  },
  'otel.endpoint': {
    with: OTEL,
    values: [hooks.url, otherHooks.url],
    see: async (bench) => [await exported(bench), (await otherHooks.take(NOT_SENT_MS)).length],
    expected: [
      [1, 0],
      [0, 1],
    ],
  },
  'otel.protocol': {
    with: { otel: { enabled: true, endpoint: hooks.url } },
    values: ['http', 'grpc'],
    see: exported,
    expected: [1, 0],
  },
  'otel.sampling_rate': {
    with: OTEL,
    values: [1, 0],
    see: exported,
    expected: [1, 0],
  },
  'otel.variables.*': {
    at: ['otel', 'variables', 'OTEL_EXPORTER_OTLP_HEADERS'],
    with: OTEL,
    values: ['x-tenant=one', 'x-tenant=two'],
    see: async (bench) => {
      await hooks.take(0);
      await asks(bench, {});
      await (await bench.sidecar()).drain();
      return (await hooks.take(NOT_SENT_MS))[0]?.headers['x-tenant'];
    },
    expected: ['one', 'two'],
  },
  'audit.enabled': {
    values: [true, false],
    see: async (bench) => (await recordsOf(bench, {})).includes('class_uid'),
    expected: [true, false],
  },
  'audit.file': {
    values: ['', join(folder, 'audit.jsonl')],
    see: async (bench) => {
      await asks(bench, {});
      await (await bench.sidecar()).drain();
      const file = join(folder, 'audit.jsonl');
      return existsSync(file) && readFileSync(file, 'utf8').includes('"class_uid":6003');
    },
    expected: [false, true],
  },
  'audit.secret': {
    with: { server: { dlp: { enabled: true } } },
    values: ['one secret of the trail, long enough', 'another secret of the trail, long enough'],
    see: async (bench) => {
      const records = await recordsOf(bench, { answer: says(`Mail ${MAIL}`) });
      return [
        records.includes(digest('one secret of the trail, long enough')),
        records.includes(digest('another secret of the trail, long enough')),
      ];
    },
    expected: [
      [true, false],
      [false, true],
    ],
  },
  'audit.stream_max_length': {
    values: [1, undefined],
    see: async (bench) => {
      const { client } = bench.redis;
      const old = client.pipeline();
      for (let nth = 0; nth < 500; nth++) old.xadd(AUDIT_STREAM, '*', 'record', '{}');
      await client.del(AUDIT_STREAM);
      await old.exec();
      await asks(bench, {});
      await (await bench.sidecar()).drain();
      return (await client.xlen(AUDIT_STREAM)) > 300;
    },
    expected: [false, true],
  },
  'audit.required': {
    values: [false, true],
    see: async (bench) => {
      await bench.redis.client.set(AUDIT_STREAM, 'no stream');
      try {
        return await outcome({})(bench);
      } finally {
        await bench.redis.client.del(AUDIT_STREAM);
      }
    },
    expected: [200, '503 redis_unavailable'],
  },
};
