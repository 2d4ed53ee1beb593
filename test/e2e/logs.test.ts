import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal, startBudgets, type Budgets } from './budgets/rig.ts';
import { send, sendRaw } from '../support/http.ts';

const MAX_LINES = 5;
const STRANGERS = 40;
/** Refusals by Envoy itself, before a key is checked. */
const ENVOYS_OWN = [
  'GET /%00 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a, b\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
  'no request at all\r\n\r\n',
];

type Line = Readonly<Record<string, unknown>>;

/** Lines that the gateway, its worker and its Envoy have printed. */
function lines(rig: Budgets): Line[] {
  return rig.gateway
    .logs()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
}

const isAudit = (line: Line): boolean => line['channel'] === 'audit';
const isAccess = (line: Line): boolean => 'protocol' in line && 'flags' in line;

let quiet: Budgets;
let talkative: Budgets;
beforeAll(async () => {
  const auth = { max_failures_per_minute: MAX_LINES };
  talkative = await startBudgets({ auth });
  quiet = await startBudgets({ auth, server: { log_level: 'error' } }, talkative);
});
afterAll(async () => {
  await quiet.close();
  await talkative.close();
});

describe('requests without a valid key', () => {
  it('write a bounded number of lines; the rest is reported as a number', async () => {
    const { baseUrl, port } = talkative.gateway;
    // Not at the turn of the minute, when counting restarts.
    const second = new Date().getSeconds();
    if (second > 40) await new Promise((resolve) => setTimeout(resolve, (61 - second) * 1_000));
    for (let stranger = 0; stranger < STRANGERS; stranger++) {
      const headers = stranger % 2 === 0 ? {} : { authorization: `Bearer gw-${'x'.repeat(43)}` };
      const path = stranger % 4 < 2 ? '/openai/v1/models' : '/no/such/place';
      expectRefusal(await send(baseUrl, { path, headers }), 401, 'invalid_key');
    }
    const ownRefusals = Array.from(
      { length: STRANGERS },
      (_, nth) => ENVOYS_OWN[nth % ENVOYS_OWN.length] ?? '',
    );
    await Promise.all(ownRefusals.map((bytes) => sendRaw(port, bytes)));
    const client = await talkative.newClient();
    expect((await client.ask()).status).toBe(200);

    await expect
      .poll(() => lines(talkative).filter((line) => isAccess(line) && line['status'] === 200))
      .toHaveLength(1);
    const refused = (line: Line): boolean => line['status'] === 401;
    await expect
      .poll(() => lines(talkative).filter((line) => refused(line) && isAccess(line)).length)
      .toBe(MAX_LINES);
    await expect
      .poll(() => lines(talkative).filter((line) => refused(line) && line['msg'] === 'request').length)
      .toBe(MAX_LINES);
    await expect
      .poll(() => lines(talkative).filter((line) => line['msg'] === 'authentication failed').length)
      .toBe(MAX_LINES);
    await expect
      .poll(() => lines(talkative).filter((line) => line['msg'] === 'request' && line['status'] === 200))
      .toHaveLength(1);
    await talkative.gateway.stop();
    const envoysOwn = (line: Line): boolean =>
      isAccess(line) && (line['id'] === null || line['status'] === 426);
    expect(lines(talkative).filter(envoysOwn)).toHaveLength(MAX_LINES);
    expect(lines(talkative)).toContainEqual(
      expect.objectContaining({
        channel: 'audit',
        msg: 'further requests refused by Envoy, not logged individually',
        requests: STRANGERS - MAX_LINES,
      }) as object,
    );
    expect(lines(talkative)).toContainEqual(
      expect.objectContaining({ channel: 'audit', requests: STRANGERS - MAX_LINES }) as object,
    );
  });
});

describe('with log_level: error', () => {
  it('logs verdicts and failed authentications, and nothing else of a request', async () => {
    const client = await quiet.newClient({ key: { allowedModels: ['another-model'] } });
    expectRefusal(await client.ask(), 403, 'policy_denied');
    expectRefusal(await send(quiet.gateway.baseUrl, { path: '/openai/v1/models' }), 401, 'invalid_key');

    await expect
      .poll(() => lines(quiet).filter(isAudit))
      .toEqual([
        expect.objectContaining({ msg: 'denied', type: 'policy_denied', key_hash: client.keyHash }),
        expect.objectContaining({ msg: 'authentication failed' }),
      ]);
    expect(lines(quiet).filter((line) => !isAudit(line) && !isAccess(line))).toEqual([]);
  });
});

describe('with an audit trail', () => {
  it('verdicts and failed authentications are written only there, not in the log', async () => {
    const audited = await startBudgets({ audit: { enabled: true, stdout: false } }, quiet);
    try {
      const client = await audited.newClient({ key: { allowedModels: ['another-model'] } });
      expectRefusal(await client.ask(), 403, 'policy_denied');
      expectRefusal(await send(audited.gateway.baseUrl, { path: '/openai/v1/models' }), 401, 'invalid_key');
      await audited.gateway.stop();
      expect(lines(audited).filter(isAccess).length).toBeGreaterThan(0);
      expect(lines(audited).filter(isAudit)).toEqual([]);
    } finally {
      await audited.close();
    }
  });
});
