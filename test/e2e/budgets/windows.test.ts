import type { BudgetWindow } from '../../../src/budget-windows.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timeSpan } from '../../../src/text/time-span.ts';
import type { Reply } from '../../support/http.ts';
import { budgetStatus, CHAT_BODY, cli, expectRefusal, startBudgets, TOKEN, type Budgets } from './rig.ts';
import { startRecorder, type Recorder } from '../../support/recorder.ts';

/** docs/budgets.md: windows, what clients learn of them, and the operator's commands. */
const WINDOWS: readonly BudgetWindow[] = ['minute', 'hourly', 'daily', 'weekly', 'monthly'];
const MINUTE_MS = 60_000;

const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let budgets: Budgets;
/** `alerting.webhook_url`: refuses each message once. */
let receiver: Recorder;
const alerts: { readonly body: string; readonly headers: Record<string, string> }[] = [];
const seen = new Set<unknown>();

beforeAll(async () => {
  receiver = await startRecorder(({ headers }, response, body) => {
    const id = headers['webhook-id'];
    const isFirst = !seen.has(id);
    seen.add(id);
    if (!isFirst) alerts.push({ body, headers: headers as Record<string, string> });
    response.writeHead(isFirst ? 503 : 204).end();
  });
  budgets = await startBudgets({
    alerting: {
      webhook_url: `${receiver.url}/hooks/gateway`,
      secret: WEBHOOK_SECRET,
      thresholds: [
        { percent: 50, message: '{key_name} has spent {percent}% of its {window} budget' },
        { percent: 80, message: 'most, in truth {percent}%' },
      ],
    },
  });
});
afterAll(async () => {
  await budgets.close();
  await receiver.close();
});

/** Waits if necessary, so that no window turns during a test. */
async function awayFromTheTurn(): Promise<void> {
  const left = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (left < 3_000) await new Promise((resolve) => setTimeout(resolve, left + 100));
}

/** Returns the start of the next UTC calendar window, computed independently. */
function nextReset(window: BudgetWindow): number {
  const now = new Date();
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  switch (window) {
    case 'minute':
      return Math.ceil((now.getTime() + 1) / MINUTE_MS) * MINUTE_MS;
    case 'hourly':
      return Date.UTC(year, month, day, now.getUTCHours() + 1);
    case 'daily':
      return Date.UTC(year, month, day + 1);
    case 'weekly':
      return Date.UTC(year, month, day + 1 + ((7 - now.getUTCDay()) % 7));
    case 'monthly':
      return Date.UTC(year, month + 1, 1);
  }
}

const usd = (tokens: number): number => (tokens * TOKEN) / 1e9;

function told({ headers }: Reply) {
  return [headers['x-gateway-budget-window'], Number(headers['x-gateway-session-remaining'])];
}

describe.each(WINDOWS)('the window "%s"', (window) => {
  it('is named while it is the closest to its limit, and refuses until it turns', async () => {
    await awayFromTheTurn();
    const limits = Object.fromEntries(WINDOWS.map((each, index) => [each, usd(50_000 + index)]));
    const client = await budgets.newClient({ budget: { ...limits, [window]: usd(2_500) } });
    expect(told(await client.ask())).toEqual([window, usd(1_500)]);
    expect(told(await client.ask({ stream: true }))).toEqual([window, usd(500)]);
    const refused = await client.ask();
    expectRefusal(refused, 429, 'budget_exceeded');
    expect(refused.body).toContain(`the ${window} budget of this key has ${String(usd(500))} USD left`);
    expect(told(refused)).toEqual([window, usd(500)]);
    expect(refused.headers['x-should-retry']).toBe('false');
    const wait = (nextReset(window) - Date.now()) / 1_000;
    const words = [-1, 0, 1, 2].map((seconds) => ` and resets in ${timeSpan((wait + seconds) * 1_000)}`);
    expect(words.some((each) => refused.body.includes(each))).toBe(true);
    const isTold = refused.headers['retry-after'] !== undefined;
    if (Math.abs(wait - 60) > 2) expect(isTold).toBe(wait < 60);
    if (isTold) expect(Math.abs(Number(refused.headers['retry-after']) - wait)).toBeLessThan(2);
    expect(client.forwarded()).toHaveLength(2);

    const windows = await budgetStatus(budgets.gateway, client.keyHash);
    expect(windows.map((each) => each.window)).toEqual(WINDOWS);
    for (const each of windows) expect([each.spent_usd, each.reserved_usd]).toEqual([usd(2_000), 0]);
    const { limit_usd, remaining_usd, resets_at } = windows[WINDOWS.indexOf(window)] ?? {};
    expect([limit_usd, remaining_usd]).toEqual([usd(2_500), usd(500)]);
    expect(resets_at).toBe(new Date(nextReset(window)).toISOString());
  });
});

describe('budgets', () => {
  it('a window that has turned starts at zero, the longer ones continue', async () => {
    const client = await budgets.newClient({ budget: { minute: usd(1_000), hourly: usd(5_000) } });
    await awayFromTheTurn();
    expect((await client.ask()).status).toBe(200);
    expectRefusal(await client.ask(), 429, 'budget_exceeded');
    // Moves the account's minute into the past, as the clock would.
    const [ledger = ''] = await budgets.redis.client.keys(`*${client.keyHash}*windows*`);
    await moveWindow(budgets.redis.client, ledger, 'minute', -MINUTE_MS);
    expect(told(await client.ask())).toEqual(['minute', 0]);
    const [minute, hourly] = await budgetStatus(budgets.gateway, client.keyHash);
    expect([minute?.spent_usd, hourly?.spent_usd]).toEqual([usd(1_000), usd(2_000)]);
  });

  it('a limit of 0 blocks free models too, and names no time to return', async () => {
    const client = await budgets.newClient({ budget: { daily: 0 } });
    const free = { ...CHAT_BODY, model: 'any/model:free' };
    for (const refused of [
      await client.ask(),
      await client.ask({ stream: true }),
      await client.ask(free, { path: '/openrouter/v1/chat/completions' }),
    ]) {
      expectRefusal(refused, 429, 'budget_exceeded');
      expect(refused.body).toContain('This key may not spend anything: its daily budget is 0 USD');
      expect(refused.headers['x-should-retry']).toBe('false');
      expect(refused.headers).not.toHaveProperty('retry-after');
      expect(told(refused)).toEqual(['daily', 0]);
    }
    expect(client.forwarded()).toHaveLength(0);
  });

  it('counting tokens costs nothing, and passes if everything is spent', async () => {
    const client = await budgets.newClient({ budget: { daily: 0 } });
    const { status } = await client.ask(CHAT_BODY, { path: '/anthropic/v1/messages/count_tokens' });
    expect(status).toBe(200);
    await client.expectSpent(0);
  });

  it('a key without any learns only its cost', async () => {
    const client = await budgets.newClient();
    const { headers } = await client.ask({ max_tokens: 10 });
    expect(headers['x-gateway-request-cost']).toBe('0.00001');
    expect(headers).not.toHaveProperty('x-gateway-budget-window');
    expect(headers).not.toHaveProperty('x-gateway-session-remaining');
    await client.expectSpent(10 * TOKEN);
  });
});

describe('the commands, beside the running gateway', () => {
  async function run(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await cli(budgets.gateway, ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  }

  it('budget set applies from the next request on; none lifts it', async () => {
    const client = await budgets.newClient({ key: { name: 'by-hand' } });
    expect((await client.ask()).status).toBe(200);
    expect(await run('budget', 'set', 'by-hand', '--daily', '0.0015', '--monthly', '5')).toBe(
      'The budget of by-hand: daily 0.0015 USD, monthly 5 USD.\n',
    );
    expectRefusal(await client.ask(), 429, 'budget_exceeded'); // earlier spend counts
    await run('budget', 'set', client.keyHash, '--daily', 'none');
    expect(told(await client.ask())).toEqual(['monthly', 5 - usd(2_000)]);
    await run('budget', 'set', 'by-hand', '--hourly', '0');
    expectRefusal(await client.ask(), 429, 'budget_exceeded');
    const table = await run('budget', 'status', 'by-hand');
    expect(table).toMatch(/^by-hand {2}sha256:[0-9a-f]{64} {2}own budget\n/);
    expect(table).toMatch(/\n {2}monthly +5 +0.002 +0 +4.998 +\d{4}-\d\d-01 00:00/);
  });

  it('budget status shows the reservation of a running request', async () => {
    const client = await budgets.newClient({ budget: { daily: 1 } });
    const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
    client.behave({ hold, outputTokens: 5 });
    const asked = client.ask();
    await expect.poll(() => client.forwarded()).toHaveLength(1);
    const daily = async () => (await budgetStatus(budgets.gateway, client.keyHash))[2];
    expect(await daily()).toMatchObject({ spent_usd: 0, reserved_usd: 0.001, remaining_usd: 0.999 });
    answer(undefined);
    await asked;
    expect(await daily()).toMatchObject({ spent_usd: 0.000005, reserved_usd: 0, remaining_usd: 0.999995 });
  });

  it('the default budget applies to each key without its own limit', async () => {
    const plain = await budgets.newClient();
    const another = await budgets.newClient();
    const own = await budgets.newClient({ budget: { monthly: 1 } });
    await run('budget', 'set', '--weekly', '0.001');
    try {
      for (const client of [plain, another]) {
        expect(told(await client.ask())).toEqual(['weekly', 0]);
        expectRefusal(await client.ask(), 429, 'budget_exceeded');
      }
      await own.ask();
      expect(told(await own.ask())).toEqual(['monthly', 0.998]);
    } finally {
      await run('budget', 'set', '--weekly', 'none');
    }
    expect((await plain.ask()).status).toBe(200);
  });
});

describe('alert thresholds', () => {
  it('are reported once for each window, in the log and in the metric', async () => {
    const client = await budgets.newClient({
      key: { name: 'watched' },
      budget: { daily: usd(1_000), monthly: usd(1_000_000) },
    });
    const crossed = () =>
      budgets.gateway
        .logs()
        .split('\n')
        .filter((line) => line.includes('budget threshold reached') && line.includes(client.keyHash))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    async function counted(): Promise<number> {
      const line = /gateway_budget_alerts_total\{window="daily"[^}]*\} (\d+)/.exec(
        await budgets.gateway.metrics(),
      );
      return Number(line?.[1] ?? 0);
    }
    const before = await counted();
    const spend = (tokens: number) => client.ask({ max_tokens: tokens });
    await spend(400);
    expect(crossed()).toEqual([]);
    await Promise.all([spend(100), spend(10), spend(10)]);
    await expect.poll(() => crossed().length).toBe(1);
    expect(crossed()[0]).toMatchObject({
      window: 'daily',
      threshold: 50,
      key_name: 'watched',
      limit_usd: 0.001,
    });
    await spend(200);
    await spend(280);
    await expect
      .poll(() => crossed().map(({ threshold, percent }) => [threshold, percent]))
      .toEqual([
        [50, expect.toSatisfy((percent: number) => percent >= 50 && percent <= 52)],
        [80, 100],
      ]);
    expect((await counted()) - before).toBe(2);
    // docs/alerts.md: the webhook receives each alert once, even after failures.
    const told = () => alerts.filter(({ body }) => body.includes(client.keyHash));
    await expect.poll(() => told().length, { timeout: 5_000 }).toBe(2);
    const bodies = told().map(({ body, headers }) => new Webhook(WEBHOOK_SECRET).verify(body, headers));
    expect(bodies).toContainEqual({
      type: 'budget.threshold',
      timestamp: expect.any(String) as string,
      data: {
        key_hash: client.keyHash,
        key_name: 'watched',
        window: 'daily',
        threshold: 80,
        percent: 100,
        spent_usd: 0.001,
        limit_usd: 0.001,
        message: 'most, in truth 100%',
      },
    });
    await expect
      .poll(() => budgets.gateway.metrics())
      .toMatch(/gateway_alerts_total\{type="budget\.threshold",outcome="delivered"\} [2-9]/);
  });
});

/** An account: seven doubles, start and end of its window first; the spec names the accounts (src/redis/ledger.lua). */
const LEDGER_HEAD = 4;
const ACCOUNT_BYTES = 7 * 8;

async function moveWindow(client: RedisClient, ledger: string, account: string, byMs: number): Promise<void> {
  const packed = await client.getBuffer(ledger);
  if (packed === null) throw new Error(`no ledger ${ledger}`);
  const spec = packed.toString('latin1', LEDGER_HEAD + (packed[1] ?? 0) * ACCOUNT_BYTES);
  const nth = spec.split(';').findIndex((entry) => entry.startsWith(`${account} `));
  const start = LEDGER_HEAD + nth * ACCOUNT_BYTES;
  for (const at of [start, start + 8]) packed.writeDoubleLE(packed.readDoubleLE(at) + byMs, at);
  await client.set(ledger, packed, 'KEEPTTL');
}
