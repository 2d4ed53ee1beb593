import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestGateway, TestKey } from '../../support/gateway.ts';
import { percentile } from '../../support/load.ts';
import { startPolicyRig, type PolicyRig } from '../../support/policy-rig.ts';

/** One key beside others on one Rego engine, on the wire: it may delay only itself. */
const POLICY = `package gateway.policy
deny contains "the word was said" if contains(input.action.normalized_prompt, "xylophone")
deny contains "shifted" if {
  startswith(input.action.normalized_prompt, "shift ")
  bits.lsh(1, to_number(substring(input.action.normalized_prompt, 6, -1))) < 0
}
deny contains "counted" if {
  startswith(input.action.normalized_prompt, "count ")
  n := to_number(substring(input.action.normalized_prompt, 6, -1))
  some i in numbers.range(1, n)
  i < 0
}
`;
const LONG_PROMPT = 'All work and no play makes Jack a dull boy. '.repeat(43_000);
const BUSY = { error: 'the policies are busy with other calls: try again', type: 'gateway_unavailable' };

let rig: PolicyRig;
let gateway: TestGateway;

beforeAll(async () => {
  rig = await startPolicyRig({ files: { 'tenants.rego': POLICY } });
  rig.provider.behave({ text: 'done' });
  gateway = await rig.start();
});
afterAll(() => rig.close());

interface Said {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: { readonly error?: string; readonly type?: string };
  readonly ms: number;
}

async function ask({ rawKey }: TestKey, prompt: string): Promise<Said> {
  const started = performance.now();
  const response = await fetch(`${gateway.baseUrl}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${rawKey}`,
      'x-gateway-provider-key': 'sk-provider-0123456789',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: prompt }] }),
  });
  const body = (await response.json()) as Said['body'];
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter, body, ms: performance.now() - started };
}

/** Keeps six calls of one key open until the returned function is called; resolves to their answers. */
function keepAsking(key: TestKey, prompt: string): () => Promise<readonly Said[]> {
  let isOver = false;
  const said: Said[] = [];
  const running = Array.from({ length: 6 }, async () => {
    while (!isOver) said.push(await ask(key, prompt));
  });
  return async () => {
    isOver = true;
    await Promise.all(running);
    return said;
  };
}

it.each([
  { name: 'prompts of 1.9 MB', prompt: LONG_PROMPT },
  { name: 'a shift without an end', prompt: 'shift 4000000000' },
  { name: 'a shift that is written out', prompt: 'shift 400000000' },
  { name: 'a range without an end', prompt: 'count 1000000000' },
])(
  'one key with $name in parallel does not block the calls of others',
  { timeout: 120_000 },
  async ({ prompt }) => {
    const [heavy, ...others] = await Promise.all([
      gateway.createKey(),
      gateway.createKey(),
      gateway.createKey(),
    ]);
    if (heavy === undefined) throw new Error('there is a key');
    const stop = keepAsking(heavy, prompt);
    const waits: number[] = [];
    let said: readonly Said[];
    try {
      for (let round = 0; round < 12; round++) {
        for (const other of others) {
          const passed = await ask(other, 'hello');
          expect([passed.status, passed.body.type]).toEqual([200, undefined]);
          const denied = await ask(other, 'a xylophone');
          expect([denied.status, denied.body.error]).toEqual([403, 'the word was said']);
          waits.push(passed.ms, denied.ms);
        }
      }
    } finally {
      said = await stop();
    }
    waits.sort((a, b) => a - b);
    expect(percentile(waits, 0.5)).toBeLessThan(500);
    // Its own calls pass, exceed their time, or are told to retry.
    for (const { status, body, retryAfter } of said) {
      expect([200, 403, 503]).toContain(status);
      if (status === 503) expect([body, retryAfter]).toEqual([BUSY, '1']);
    }
  },
);

it('calls that were not judged in time are 503 with Retry-After', async () => {
  const key = await gateway.createKey();
  const said = await Promise.all(Array.from({ length: 40 }, () => ask(key, 'count 1000000000')));
  const busy = said.filter(({ status }) => status === 503);
  expect(busy.length).toBeGreaterThan(5);
  for (const { body, retryAfter, ms } of busy) {
    expect([body, retryAfter]).toEqual([BUSY, '1']);
    expect(ms).toBeLessThan(6_000);
  }
  const denied = said.filter(({ status }) => status === 403);
  expect(denied.length + busy.length).toBe(40);
});
