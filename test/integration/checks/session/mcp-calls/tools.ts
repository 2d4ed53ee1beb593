import { it, expect } from 'vitest';
import { mcpExchange, toolCall } from '../../../../support/mcp-exchange.ts';
import { parsed, answered } from '../../../../support/exchange.ts';
import type { SessionState } from '../../../../../src/checks/session/check.ts';
import { DAY_MS } from '../../../../contracts/session-rig.ts';
import { UNANSWERED_LIFE_MS } from '../../../../../src/conversation/session-name.ts';
import { rig, tool, SESSION, MCP_SESSION, type Sent } from './rig.ts';
import type { Check } from '../../../../../src/pipeline/check.ts';

/** A model call in the session, up to its verdict. */
async function askModel(check: Check<SessionState>, keyHash: string) {
  const chat = {
    ...parsed({ body: { model: 'm', messages: [] }, keyHash }),
    headers: new Map([[SESSION, 'one']]),
  };
  const state = check.begin?.() as SessionState;
  await check.requestHeaders?.(chat, state);
  check.prepare?.(chat, state);
  await check.requestBody?.(chat, state);
  return { chat, state };
}

export function toolCalls(): void {
  it('opens it without a step, and enters its history once the server has answered', async () => {
    const { send, stored, begin, keyHash } = rig();
    const first = await send(tool('list_files'));
    expect(first.exchange.facts.session).toMatchObject({
      id: 'one',
      state: undefined,
      steps: 0,
      toolsCalled: [],
    });
    expect(await stored()).toMatchObject({ steps: 0, toolsCalled: ['list_files'] });
    const second = mcpExchange({ body: toolCall('x'), headers: { [SESSION]: 'one' }, key: { keyHash } });
    await begin(second);
    expect(second.facts.session).toMatchObject({ toolsCalled: ['list_files'] });
  });

  it('belongs to the MCP session if it names no other', async () => {
    const { send, stored } = rig();
    await send({ headers: { [MCP_SESSION]: 'mcp-1' } });
    await send({ headers: { [MCP_SESSION]: 'mcp-1', [SESSION]: 'own' }, ...tool('b') });
    await send({ headers: { [MCP_SESSION]: 'an id with blanks, as some servers hand out' } });
    expect(await stored('mcp-1')).toMatchObject({ toolsCalled: ['read_file'] });
    expect(await stored('own')).toMatchObject({ toolsCalled: ['b'] });
  });

  it('without any session has none, and costs nothing', async () => {
    const { send, trips } = rig();
    const { exchange, verdict } = await send({ headers: {} });
    expect([verdict, exchange.facts.session, trips]).toEqual([{ kind: 'pass' }, null, []]);
  });

  it('reports steps and spend of the session, like a model call', async () => {
    const { send, check, keyHash } = rig();
    const { chat, state } = await askModel(check, keyHash);
    await check.response?.(answered(chat), state);
    const { exchange } = await send({});
    expect(Object.fromEntries(exchange.responseHeaders)).toEqual({
      'x-gateway-session-steps': '1',
      'x-gateway-session-spend': '0',
    });
  });

  it('is not stopped by a session without steps left, and takes none', async () => {
    const { send, check, keyHash, stored } = rig();
    const headers = { [SESSION]: 'one', 'x-gateway-session-max-steps': '1' };
    const chat = {
      ...parsed({ body: { model: 'm', messages: [] }, keyHash }),
      headers: new Map(Object.entries(headers)),
    };
    const state = check.begin?.() as SessionState;
    await check.requestHeaders?.(chat, state);
    check.prepare?.(chat, state);
    expect(await check.requestBody?.(chat, state)).toEqual({ kind: 'pass' });
    for (let nth = 0; nth < 3; nth++) expect((await send({ headers })).verdict).toEqual({ kind: 'pass' });
    expect(await stored()).toMatchObject({ steps: 1, maxSteps: 1 });
  });

  it('tightens the limits that it names', async () => {
    const { send, stored } = rig();
    await send({});
    const limits = (steps: string, usd: string) => ({
      [SESSION]: 'one',
      'x-gateway-session-max-steps': steps,
      'x-gateway-session-budget': usd,
    });
    await send({ headers: limits('9', '2') });
    expect(await stored()).toMatchObject({ maxSteps: 9, budgetNanoUsd: 2_000_000_000 });
    await send({ headers: limits('10', '1') });
    expect(await stored()).toMatchObject({ maxSteps: 9, budgetNanoUsd: 1_000_000_000 });
  });

  it('waits for Redis once before it is forwarded and once before its answer, if the session exists', async () => {
    const { send, trips } = rig();
    await send({});
    // The last command is not awaited, and neither is `renew`, which reports a call in progress.
    expect(trips).toEqual(['peek', 'open', 'keep', 'finish']);
    trips.length = 0;
    await send(tool('b'));
    await send(tool('b'));
    const again = ['peek', 'renew', 'keep', 'finish'];
    expect(trips).toEqual([...again, ...again]);
  });

  it('keeps the session alive while it runs, and only that long', async () => {
    const { begin, check, own, send, keyHash } = rig();
    await send({});
    const calls = async (): Promise<number | undefined> =>
      (await own.read({ keyHash, sessionId: 'one' }))?.callsInFlight;
    expect(await calls()).toBe(0);
    const exchange = mcpExchange({ body: toolCall('slow'), headers: { [SESSION]: 'one' }, key: { keyHash } });
    const { state } = await begin(exchange);
    await expect.poll(calls).toBe(1);
    const answer = answered(exchange, { status: 200, form: 'stream' });
    await check.response?.(answer, state);
    expect(await calls()).toBe(1);
    await check.end?.(answer, { kind: 'complete' }, state);
    expect(await calls()).toBe(0);
    expect(await own.peek({ keyHash, sessionId: 'one' })).toMatchObject({ answered: true });
  });

  it.each([
    ['answered 2xx', { status: 200 }, true],
    ['that broke down in the server', { status: 500 }, false],
    ['that the server refused', { status: 401 }, false],
    ['whose answer was lost', { status: undefined }, false],
  ])('%s gives its session its whole life, or not', async (_what, sent, whole) => {
    const { send, stored } = rig();
    await send(sent);
    expect(await stored()).toMatchObject({ answered: whole, lifeMs: whole ? DAY_MS : UNANSWERED_LIFE_MS });
  });

  it.each<[string, Sent, readonly string[]]>([
    ['answered', { status: 200 }, ['read_file']],
    ['answered as a stream', { status: 200, form: 'stream' }, ['read_file']],
    ['that broke down in the server', { status: 500 }, ['read_file']],
    ['whose answer was lost: the tool may have run', { status: undefined }, ['read_file']],
    ['that the server refused', { status: 404 }, []],
    ['that was denied by a later check', { status: undefined, outcome: { kind: 'not_forwarded' } }, []],
    [
      'that did not reach the server',
      { status: undefined, outcome: { kind: 'not_forwarded', upstreamFailed: true } },
      [],
    ],
  ])('%s is remembered as called, or not', async (_what, sent, toolsCalled) => {
    const { send, stored } = rig();
    await send(tool('before'));
    await send(sent);
    expect((await stored())?.toolsCalled).toEqual(['before', ...toolsCalled]);
  });

  it('whose answer an earlier check withholds is still remembered', async () => {
    const { begin, check, stored, keyHash } = rig();
    const exchange = mcpExchange({ body: toolCall('a'), headers: { [SESSION]: 'one' }, key: { keyHash } });
    const { state } = await begin(exchange);
    await check.end?.(answered(exchange), { kind: 'complete' }, state);
    expect((await stored())?.toolsCalled).toEqual(['a']);
  });

  it('that opened a session and was never made leaves none behind', async () => {
    const { send, stored } = rig({ maxPerKey: 1 });
    await send({ status: undefined, outcome: { kind: 'not_forwarded' } });
    expect(await stored()).toBeUndefined();
    expect((await send({ headers: { [SESSION]: 'two' } })).verdict).toEqual({ kind: 'pass' });
    expect((await send({})).verdict).toMatchObject({ type: 'session_limit_exceeded' });
  });

  it('keeps the history of a session whose only model call was denied', async () => {
    const { send, check, keyHash, stored } = rig();
    await send({});
    const { chat, state } = await askModel(check, keyHash);
    await check.end?.(chat, { kind: 'not_forwarded' }, state);
    expect(await stored()).toMatchObject({ steps: 0, toolsCalled: ['read_file'] });
  });

  it('that is overtaken by an operator’s end does not recreate its session', async () => {
    const { begin, check, own, stored, keyHash } = rig();
    const exchange = mcpExchange({ body: toolCall('a'), headers: { [SESSION]: 'one' }, key: { keyHash } });
    const { state } = await begin(exchange);
    await own.end({ keyHash, sessionId: 'one' });
    expect(await check.response?.(answered(exchange), state)).toEqual({ kind: 'pass' });
    expect(await stored()).toBeUndefined();
  });
}
