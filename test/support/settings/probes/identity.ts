import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { signApproval } from '../../../../src/escalation/approval.ts';
import type { Escalation } from '../../../../src/escalation/escalation.ts';
import { createRedisEscalationStore } from '../../../../src/escalation/redis-store.ts';
import { AUDIENCE, createKeyPair, goodClaims, ISSUER, signToken, type Json } from '../../jose.ts';
import { asks, asksAtOnce, chat, outcomeOf, type AskedChat } from '../asking.ts';
import { startListener } from '../listener.ts';
import type { Bench, Probes, See } from '../probe.ts';

const pair = createKeyPair();
const other = createKeyPair();
const issuer = await startListener({ '/one': { keys: [pair.jwk] }, '/other': { keys: [other.jwk] } });

const ZSP = {
  zsp: { enabled: true, jwks_url: `${issuer.url}/one`, issuer: ISSUER, audience: AUDIENCE },
};

/** Observes the outcome of a call with a token that has these claims. */
function withToken(claims: Json, expiresInSeconds = 300): See {
  return async (bench) => {
    const exp = Math.floor(Date.now() / 1_000) + expiresInSeconds;
    const token = { 'x-gateway-jwt': signToken(pair, { ...goodClaims(), exp, ...claims }) };
    return outcomeOf(await asks(bench, { key: { jwtSubject: 'agent-7' }, headers: token }));
  };
}

const folder = mkdtempSync(join(tmpdir(), 'settings-identity-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true, force: true });
});
const CARD_FILE = join(folder, 'card.yaml');
writeFileSync(
  CARD_FILE,
  `metadata: { name: asks }
rules:
  - name: ask-somebody
    conditions: [{ field: prompt_text, op: contains, value: zebra }]
    action: escalate
  - name: ask-before-reading
    match: { type: mcp_tool_call, tool: read }
    action: escalate
`,
);

const SECRET = '0123456789abcdef0123456789abcdef';
const APPROVALS = {
  policy: {
    enabled: true,
    policy_file: CARD_FILE,
    policy_dir: join(folder, 'none'),
    default_action: 'allow' as const,
  },
  zsp: { escalation_enabled: true, escalation_secret: SECRET, escalation_timeout: '1s' },
};
const ESCALATED: AskedChat = { body: chat('Paint a zebra') };

/** Observes the outcome of a call that a person approves, with an answer signed by `SECRET`. */
const approved: See = async (bench) => {
  const store = createRedisEscalationStore({ client: bench.redis.client, deadlineMs: 2_000 });
  const call = asks(bench, ESCALATED);
  const pending = await waiting(store.list.bind(store));
  const { id, nonce, key_hash, expiry, request_digest } = pending;
  const answer = {
    id,
    nonce,
    key_hash,
    decision: 'approve' as const,
    approver: 'ada',
    expiry,
    request_digest,
  };
  await store.answer(id, JSON.stringify(signApproval(answer, SECRET)), 60_000, '');
  return outcomeOf(await call);
};

async function waiting(list: () => Promise<readonly Escalation[]>): Promise<Escalation> {
  for (let tries = 0; tries < 200; tries++) {
    const [first] = await list();
    if (first !== undefined) return first;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the call does not wait for a person');
}

/** Observes the tool arguments that an approver sees. */
const shownArguments: See = async (bench) => {
  const store = createRedisEscalationStore({ client: bench.redis.client, deadlineMs: 2_000 });
  const params = { name: 'read', arguments: { path: 'a.txt', to: 'ann.smith@corp-mail.com' } };
  const call = asks(bench, {
    path: '/mcp/files/tools/call',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  });
  const shown = (await waiting(store.list.bind(store))).arguments;
  await call;
  return shown.replaceAll(/\s/g, '');
};

/** Observes the prompt that an approver sees. */
const shownPrompt: See = async (bench) => {
  const store = createRedisEscalationStore({ client: bench.redis.client, deadlineMs: 2_000 });
  const call = asks(bench, { body: chat('Paint a zebra for ann.smith@corp-mail.com') });
  const shown = (await waiting(store.list.bind(store))).prompt_text;
  await call;
  return shown;
};

export const identityProbes: Probes = {
  'zsp.escalation_prompts': {
    with: {
      ...APPROVALS,
      zsp: { ...APPROVALS.zsp, escalation_timeout: '0.5s', escalation_arguments: true },
    },
    values: [false, true],
    see: shownPrompt,
    expected: ['', 'Paint a zebra for ***'],
  },
  'zsp.escalation_arguments': {
    with: {
      ...APPROVALS,
      zsp: { ...APPROVALS.zsp, escalation_timeout: '0.5s' },
      mcp: { enabled: true, servers: [{ name: 'files', url: 'https://files.test/mcp' }] },
    },
    values: [false, true],
    see: shownArguments,
    expected: ['', '{"path":"a.txt","to":"***"}'],
  },
  'zsp.enabled': {
    with: ZSP,
    values: [true, false],
    see: withToken({ aud: 'https://elsewhere.test' }),
    expected: ['401 invalid_key', 200],
  },
  'zsp.jwt_only': {
    with: ZSP,
    values: [false, true],
    see: async (bench) => outcomeOf(await asks(bench, {})),
    expected: [200, '401 invalid_key'],
  },
  'budgets[].match.claims.*': {
    at: ['budgets', '0', 'match', 'claims', 'team'],
    with: { zsp: { ...ZSP.zsp, jwt_only: true }, budgets: [{ name: 'team', match: {}, daily: 0 }] },
    values: ['sea*', 'maps'],
    see: withToken({ team: 'search' }),
    expected: ['429 budget_exceeded', 200],
  },
  'zsp.jwks_url': {
    with: ZSP,
    values: [`${issuer.url}/one`, `${issuer.url}/other`],
    see: withToken({}),
    expected: [200, '401 invalid_key'],
  },
  'zsp.issuer': {
    with: ZSP,
    values: [ISSUER, 'https://somebody.test'],
    see: withToken({}),
    expected: [200, '401 invalid_key'],
  },
  'zsp.audience': {
    with: ZSP,
    values: [AUDIENCE, 'https://somebody.test'],
    see: withToken({}),
    expected: [200, '401 invalid_key'],
  },
  'zsp.leeway': {
    with: ZSP,
    values: ['30s', '1s'],
    see: withToken({}, -10),
    expected: [200, '401 invalid_key'],
  },
  'zsp.require_dpop': {
    with: { ...ZSP, server: { public_url: 'https://gateway.test' } },
    values: [false, true],
    see: withToken({}),
    expected: [200, '401 invalid_key'],
  },
  'zsp.escalation_enabled': {
    with: { ...APPROVALS, zsp: { ...APPROVALS.zsp, escalation_timeout: '0.2s' } },
    values: [false, true],
    see: async (bench: Bench) => outcomeOf(await asks(bench, ESCALATED)),
    expected: ['403 policy_denied', '504 escalation_timeout'],
  },
  'zsp.escalation_secret': {
    with: APPROVALS,
    values: [SECRET, SECRET.replace('0', 'f')],
    see: approved,
    expected: [200, '504 escalation_timeout'],
  },
  'zsp.max_pending': {
    with: { ...APPROVALS, zsp: { ...APPROVALS.zsp, escalation_timeout: '0.5s' } },
    values: [2, 1],
    see: async (bench: Bench) => {
      const ends = await Promise.all([asks(bench, ESCALATED), asks(bench, ESCALATED)]);
      return ends.map(outcomeOf).toSorted();
    },
    expected: [
      ['504 escalation_timeout', '504 escalation_timeout'],
      ['503 gateway_unavailable', '504 escalation_timeout'],
    ],
  },
  'zsp.max_pending_per_key': {
    with: { ...APPROVALS, zsp: { ...APPROVALS.zsp, escalation_timeout: '0.5s' } },
    values: [2, 1],
    see: async (bench: Bench) => {
      const ends = await asksAtOnce(bench, {}, [ESCALATED, { body: chat('Paint another zebra') }]);
      return ends.map(outcomeOf).toSorted();
    },
    expected: [
      ['504 escalation_timeout', '504 escalation_timeout'],
      ['429 rate_limited', '504 escalation_timeout'],
    ],
  },
};
