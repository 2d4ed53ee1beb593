import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAdmission } from '../../../src/extproc/admission/admission.ts';
import { createPlaces } from '../../../src/extproc/places.ts';
import type { FinishedExchange, EdgeServices } from '../../../src/extproc/services.ts';
import { serveStream } from '../../../src/extproc/stream.ts';
import type { RpcCall, CallListener } from '../../../src/extproc/transport/transport.ts';
import {
  processingRequest,
  type ProcessingRequest,
  type ProcessingResponse,
} from '../../../src/extproc/wire/messages.ts';
import { PASS, type Check, type Denial } from '../../../src/pipeline/check.ts';
import type { Outcome } from '../../../src/pipeline/exchange.ts';
import { createRunner } from '../../../src/pipeline/run.ts';
import { createRoute } from '../../../src/routing/route.ts';
import { configuredUpstreams } from '../../../src/routing/upstreams.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { parsed } from '../../support/exchange.ts';

/** One ext_proc stream, whose transport only records its input. */
interface Served {
  readonly sent: ProcessingResponse[];
  readonly failures: string[];
  /** Calls of the checks' `end` hooks. */
  readonly outcomes: Outcome[];
  readonly finished: FinishedExchange[];
  readonly listener: CallListener;
}

const WIDE = { maxPerKey: 1_000, maxPerAddress: 1_000, maxAwaitingBody: 1_000 };

function serve(check: Partial<Check>, upstreamTimeoutMs = 60_000, places = createPlaces(WIDE)): Served {
  const served = { sent: [], failures: [], outcomes: [], finished: [] } as unknown as Served;
  const { sent, failures, outcomes, finished } = served;
  const nothing = (): void => undefined;
  const observer = {
    verdict: nothing,
    enforceFailed: nothing,
    endFailed: nothing,
    finished: (one: FinishedExchange) => finished.push(one),
    failed: (_id: string, cause: unknown) => failures.push(String(cause)),
  };
  const noted: Check = {
    name: 'budget',
    shadowable: false,
    ...check,
    end: (_exchange, outcome) => void outcomes.push(outcome),
  };
  const config = defaultConfig();
  const { key, budget, facts } = parsed({
    keyHash: 'sha256:any',
    body: { model: 'gpt-4o', messages: [] },
  });
  const admission = createAdmission({ limitMs: 60_000, onShed: () => undefined });
  onTestFinished(() => admission.close());
  const services: EdgeServices = {
    authenticate: () => Promise.resolve({ key, rawKeyHash: key.keyHash, budget, facts }),
    providerCredentials: {
      choose: (_key, _provider, providerKey) => ({ providerKey }),
      answered: () => undefined,
    },
    knowsAnyKey: () => Promise.resolve(false),
    route: createRoute(config, configuredUpstreams(config)),
    admission,
    places,
    newRun: createRunner({ checks: [noted], shadowMode: false, observer }),
    settings: {
      upstreamTimeoutMs,
      stripTelemetry: false,
      errorFormat: 'gateway',
      refusalDetails: 'full',
      allowedOrigins: [],
    },
    observer,
    takeAnonymousLine: () => true,
  };
  const call: RpcCall = {
    write: (reply) => sent.push(reply) > 0,
    end: nothing,
    fail: (_status, details) => void failures.push(details),
    pause: nothing,
    resume: nothing,
  };
  return { ...served, listener: serveStream(call, services, nothing) };
}

const HEADER_LIST = {
  ':method': 'POST',
  ':path': '/openai/v1/chat/completions',
  'content-type': 'application/json',
  'x-request-id': 'id-1',
  authorization: 'Bearer gw-any',
  'x-gateway-provider-key': 'sk-any',
};
const HEADERS = processingRequest('request_headers', { headers: Object.entries(HEADER_LIST) });
const BODY = processingRequest('request_body', {
  body: Buffer.from('{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}'),
  endOfStream: true,
});

async function tell({ listener }: Served, ...messages: readonly ProcessingRequest[]): Promise<void> {
  for (const message of messages) {
    listener.message(message);
    await settled();
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

describe('a client that leaves', () => {
  it('while its request is judged has sent nothing, even if every check passes it', async () => {
    let judge = (): void => undefined;
    const judging = new Promise<typeof PASS>((resolve) => (judge = () => resolve(PASS)));
    const served = serve({ requestBody: () => judging });
    await tell(served, HEADERS, BODY);
    served.listener.closed();
    judge();
    await settled();
    expect(served.outcomes).toEqual([{ kind: 'not_forwarded' }]);
    expect(served.sent.map((reply) => Object.keys(reply))).toEqual([['request_headers', 'mode_override']]);
  });

  it('once Envoy has the verdict is charged for a lost answer', async () => {
    const served = serve({});
    await tell(served, HEADERS, BODY);
    served.listener.closed();
    await settled();
    expect(served.outcomes).toEqual([{ kind: 'lost' }]);
  });
});

describe('the answer of a forwarded request', () => {
  it('is requested in the reply to the request headers, with the parts of the request', async () => {
    const served = serve({});
    await tell(served, HEADERS);
    expect(served.sent.map((reply) => reply.mode_override)).toEqual([
      {
        response_header_mode: 1,
        request_body_mode: 2,
        response_body_mode: 2,
        request_trailer_mode: 1,
        response_trailer_mode: 2,
      },
    ]);
  });

  it('is not passed as a reply of Envoy if its body comes without its headers', async () => {
    const served = serve({});
    await tell(served, HEADERS, BODY);
    const body = Buffer.from('{"error":"a secret of the provider","type":"invalid_request"}');
    await tell(served, processingRequest('response_body', { body, endOfStream: true }));
    expect(served.sent.filter(({ response_body }) => response_body !== undefined)).toEqual([]);
    expect(JSON.stringify(served.sent)).not.toContain('a secret');
    expect(served.failures).toContain('failed closed');
  });
});

describe('a check that denies', () => {
  const denial: Denial = {
    kind: 'deny',
    type: 'dlp_quarantine',
    message: 'not so',
    headers: { 'x-gateway-dlp-block': 'true' },
  };

  it.each(['admit', 'requestHeaders', 'requestBody'] as const)(
    'reaches the client and the log unchanged: %s',
    async (hook) => {
      const served = serve({ [hook]: () => denial });
      await tell(served, HEADERS, BODY);
      const { status, headers, body } = served.sent.at(-1)?.immediate_response ?? {};
      expect(status).toBe(403);
      expect(headers?.set_headers).toContainEqual(['x-gateway-dlp-block', 'true']);
      expect(headers?.set_headers).toContainEqual(['x-gateway-request-id', 'id-1']);
      expect(JSON.parse(String(body))).toEqual({ error: 'not so', type: 'dlp_quarantine' });
      expect(served.finished).toMatchObject([
        { refusal: denial, status: 403, outcome: { kind: 'not_forwarded' } },
      ]);
      // Before the request was forwarded no end is owed.
      expect(served.outcomes).toEqual(hook === 'admit' ? [] : [{ kind: 'not_forwarded' }]);
    },
  );
});

it('a provider that does not answer in time causes a 504, and the reservation is charged', async () => {
  const served = serve({}, 1);
  await tell(served, HEADERS, BODY);
  await expect.poll(() => served.sent.at(-1)?.immediate_response?.status).toBe(504);
  await settled();
  expect(served.outcomes).toEqual([{ kind: 'lost', upstreamFailed: true }]);
});

it('an unexpected failure ends the call with an error, by which Envoy fails closed', async () => {
  const served = serve({ requestBody: () => Promise.reject(new Error('broken')) });
  await tell(served, HEADERS, BODY);
  expect(served.failures).toEqual(['Error: broken', 'failed closed']);
  expect(served.sent.at(-1)).not.toHaveProperty('immediate_response');
  expect(served.outcomes).toEqual([{ kind: 'not_forwarded' }]);
});

describe('a proxy key that a body contains with escapes', () => {
  /** The limit of `isLarge`: other code reads longer bodies in turns. */
  const LARGE_BYTES = 131_072;

  it.each([100, LARGE_BYTES, LARGE_BYTES + 1, 4 * LARGE_BYTES])(
    'is refused with a body of %i bytes, which would pass without it',
    async (bytes) => {
      for (const [written, expected] of [
        ['gw\\u002dany', 400],
        ['\\u0067w-any', 400],
        ['gw\\u002dother', undefined],
      ] as const) {
        const served = serve({});
        await tell(served, HEADERS, bodyOf(bytes, written));
        await expect.poll(() => served.sent.length).toBe(2);
        expect(served.sent.at(-1)?.immediate_response?.status).toBe(expected);
      }
    },
  );

  function bodyOf(bytes: number, written: string): ReturnType<typeof processingRequest> {
    const start = '{"model":"gpt-4o","messages":[{"role":"user","content":"';
    const end = `${written}"}]}`;
    const body = Buffer.from(start + 'a'.repeat(bytes - start.length - end.length) + end);
    expect(body.length).toBe(bytes);
    return processingRequest('request_body', { body, endOfStream: true });
  }
});

describe('places of open requests', () => {
  const { authorization: _, ...withoutKey } = HEADER_LIST;
  const statuses = ({ sent }: Served): unknown[] =>
    sent.flatMap((reply) => ('immediate_response' in reply ? [reply.immediate_response?.status] : []));
  const TOO_MANY = [429];

  it.each([
    ['by its key', HEADERS],
    [
      'by the key that a JWT names',
      processingRequest('request_headers', { headers: Object.entries(withoutKey) }),
    ],
  ])('are counted %s', async (_name, headers) => {
    const places = createPlaces({ ...WIDE, maxPerKey: 1 });
    const first = serve({}, 60_000, places);
    const second = serve({}, 60_000, places);
    await tell(first, headers);
    await tell(second, headers);
    expect([statuses(first), statuses(second)]).toEqual([[], TOO_MANY]);
    first.listener.closed();
    await settled();
    const third = serve({}, 60_000, places);
    await tell(third, headers);
    expect(statuses(third)).toEqual([]);
  });

  it('are freed at once when a request is refused, before Envoy has ended it', async () => {
    const places = createPlaces({ ...WIDE, maxPerAddress: 1 });
    const refused = serve({ requestHeaders: () => DENIED }, 60_000, places);
    await tell(refused, HEADERS);
    const next = serve({}, 60_000, places);
    await tell(next, HEADERS);
    expect([statuses(refused), statuses(next)]).toEqual([[403], []]);
  });

  it('are taken only from requests without their bodies', async () => {
    const places = createPlaces({ ...WIDE, maxAwaitingBody: 1 });
    const judged = serve({ requestBody: () => new Promise<never>(() => undefined) }, 60_000, places);
    const oldest = serve({}, 60_000, places);
    const newest = serve({}, 60_000, places);
    await tell(judged, HEADERS, BODY);
    await tell(oldest, HEADERS);
    await tell(newest, HEADERS);
    expect([statuses(judged), statuses(oldest), statuses(newest)]).toEqual([[], TOO_MANY, []]);
    expect(oldest.finished).toMatchObject([{ refusal: { type: 'rate_limited' }, status: 429 }]);
  });
});

const DENIED: Denial = { kind: 'deny', type: 'policy_denied', message: 'not so' };
