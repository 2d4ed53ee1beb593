import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestCa, type TestCa } from '../support/certs.ts';
import type { Asking, Misbehaviour } from '../support/imposter.ts';
import {
  BODYLESS,
  EVENT,
  expectDenied,
  KINDS,
  SECRET,
  send,
  startRig,
  UUID,
  WITH_BODY,
  type Kind,
  type Rig,
} from './gates/rig.ts';

const REQUEST_SIDE: readonly Misbehaviour[] = (['request_headers', 'request_body'] as const).flatMap((at) =>
  (['close', 'route', 'error', 'hang', 'empty'] as const).map((way) => ({ at, way, answers: false })),
);
const RESPONSE_SIDE: readonly Misbehaviour[] = (['response_headers', 'response_body'] as const).flatMap(
  (at) => (['close', 'error', 'hang', 'empty'] as const).map((way) => ({ at, way, answers: false })),
);

describe.each([
  ['lean', 'a plain HTTP/1.1 provider', false, 'provider_openai'],
  ['grpc-js', 'a plain HTTP/1.1 provider', false, 'provider_openai'],
  ['lean', 'a TLS HTTP/2 provider', true, 'provider_openai'],
  ['lean', 'a TLS HTTP/2 server of MCP', true, 'mcp_files'],
  ['lean', 'a TLS HTTP/2 provider, asked after one that cannot be reached', true, 'attempts'],
] as const)(
  'behind the rendered Envoy, over %s, with %s, an imposter sidecar',
  (transport, _name, tls, cluster) => {
    let ca: TestCa | undefined;
    let rig: Rig;
    beforeAll(async () => {
      ca = tls ? await createTestCa() : undefined;
      rig = await startRig(ca, cluster, transport);
    });
    afterAll(async () => {
      await rig.stop();
      ca?.close();
    });

    it('that behaves passes every kind of request, so that the other tests can fail', async () => {
      rig.imposter.misbehave(undefined);
      for (const kind of KINDS) {
        const reply = await send(rig.port, kind);
        expect(reply.status, kind).toBe(200);
        expect(reply.body, kind).toContain(SECRET);
      }
      expect((await send(rig.port, 'sse')).body).toBe(EVENT.repeat(6));
    });

    it.each(REQUEST_SIDE)('that does "$way" at $at passes nothing to the provider', async (misbehaviour) => {
      const kinds = misbehaviour.at === 'request_body' ? WITH_BODY : KINDS;
      await expectNothingForwarded(misbehaviour, kinds);
    });

    it('that answers the headers and then closes passes no body', async () => {
      await expectNothingForwarded({ at: 'request_headers', way: 'close', answers: true }, WITH_BODY);
    });

    it.each(RESPONSE_SIDE)('that does "$way" at $at passes no answer to the client', async (misbehaviour) => {
      rig.imposter.misbehave(misbehaviour);
      // The chunks of a stream have their own test.
      const kinds = KINDS.filter((kind) => kind !== 'sse' || misbehaviour.at !== 'response_body');
      for (const reply of await Promise.all(kinds.map((kind) => send(rig.port, kind))))
        expectDenied(reply, cluster);
    });

    it.each(BODYLESS)(
      'that closes at the headers of an answer with the body "%s" passes nothing but our error',
      async (kind) => {
        rig.imposter.misbehave({ at: 'response_headers', way: 'close', answers: false });
        expectDenied(await send(rig.port, kind), cluster);
      },
    );

    it('that closes at the headers of an answer with only trailers passes none of them', async () => {
      rig.imposter.misbehave({ at: 'response_headers', way: 'close', answers: false });
      const { status, headers, body } = await send(rig.port, 'trailers');
      expect([status, headers['x-say']]).toEqual([503, undefined]);
      expect(headers['x-gateway-request-id']).toMatch(UUID);
      expect(body).not.toContain(SECRET);
      rig.imposter.misbehave(undefined);
      expect((await send(rig.port, 'get')).status).toBe(200);
    });

    it('that forwards a HEAD passes nothing to the provider', async () => {
      rig.received.length = 0;
      rig.imposter.misbehave(undefined);
      const { status, headers, body } = await send(rig.port, 'head');
      expect([status, headers['content-type'], body]).toEqual([503, 'application/json', '']);
      expect(headers['x-gateway-request-id']).toMatch(UUID);
      expect(rig.received).toEqual([]);
    });

    it('that answers the response headers and then closes passes no answer to the client', async () => {
      rig.imposter.misbehave({ at: 'response_headers', way: 'close', answers: true });
      for (const { body } of await Promise.all(KINDS.map((kind) => send(rig.port, kind)))) {
        expect(body).not.toContain(SECRET);
      }
    });

    it.each([1, 2, 4])(
      'that closes at chunk %i of a stream passes only the bytes that it emitted',
      async (n) => {
        for (const answers of [false, true]) {
          for (const way of ['close', 'error', 'empty'] as const) {
            rig.imposter.misbehave({ at: `chunk ${n}`, way, answers });
            const { body } = await send(rig.port, 'sse');
            const passed = body.split(SECRET).length - 1;
            const emitted = Math.ceil(rig.imposter.emittedBytes() / EVENT.length);
            expect(passed, `${way} ${String(answers)}`).toBeLessThanOrEqual(emitted);
          }
        }
      },
    );

    async function expectNothingForwarded(misbehaviour: Misbehaviour, kinds: readonly Kind[]): Promise<void> {
      rig.received.length = 0;
      rig.imposter.misbehave(misbehaviour);
      for (const reply of await Promise.all(kinds.map((kind) => send(rig.port, kind)))) expectDenied(reply);
      expect(rig.received).toEqual([]);
    }
  },
);

describe('an Envoy with a full heap', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(undefined, 'provider_openai', 'lean', (rendered) => {
      const full = rendered.replace(/(stop_accepting_requests\n(?:.*\n){3} *value: )[\d.]+$/m, '$10');
      expect(full).not.toBe(rendered);
      return full;
    });
    // Envoy checks its heap twenty times a second.
    await vi.waitFor(async () => expect((await send(rig.port, 'get')).status).toBe(503));
    rig.received.length = 0;
  });
  afterAll(() => rig.stop());

  it('answers new requests with our 503, with its own request id', async () => {
    for (const kind of KINDS) {
      const reply = await send(rig.port, kind);
      expectDenied(reply);
      expect(reply.body).toContain('overloaded');
    }
    expect(rig.received).toEqual([]);
  });
});

/** Envoy shows an answer only if the reply to the request's headers asked for it. */
describe.each<[string, Asking, (rendered: string) => string]>([
  ['a sidecar of an earlier version, which does not ask for it', 'never', (rendered) => rendered],
  ['a sidecar that asks too late', 'with the body', (rendered) => rendered],
  ['an Envoy that is told to ignore what sidecars ask for', 'with the headers', withoutOverride],
])('an answer that Envoy does not show: %s', (_, asking, rewrite) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(undefined, 'provider_openai', 'lean', rewrite);
    rig.imposter.askForAnswers(asking);
  });
  afterAll(() => rig.stop());

  it('does not reach the client, in any form', async () => {
    rig.received.length = 0;
    const kinds: readonly Kind[] = asking === 'with the body' ? WITH_BODY : [...KINDS, 'trailers'];
    for (const kind of kinds) {
      const { status, headers, body } = await send(rig.port, kind);
      expect([kind, status]).toEqual([kind, 503]);
      expect(body + JSON.stringify(headers)).not.toContain(SECRET);
    }
    // The answer itself was withheld.
    expect(rig.received.length).toBe(kinds.length);
  });
});

function withoutOverride(rendered: string): string {
  const refusing = rendered.replace('allow_mode_override: true', 'allow_mode_override: false');
  expect(refusing).not.toBe(rendered);
  return refusing;
}

it('a sidecar that asks works with the configuration of an earlier version, which shows every answer', async () => {
  const rig = await startRig(undefined, 'provider_openai', 'lean', (rendered) => {
    const earlier = rendered
      .replace('response_header_mode: SKIP', 'response_header_mode: SEND')
      .replace('response_body_mode: NONE', 'response_body_mode: BUFFERED');
    expect(earlier).not.toBe(rendered);
    return earlier;
  });
  try {
    for (const kind of KINDS) {
      const { status, body } = await send(rig.port, kind);
      expect([kind, status]).toEqual([kind, 200]);
      expect(body).toContain(SECRET);
    }
  } finally {
    await rig.stop();
  }
});
