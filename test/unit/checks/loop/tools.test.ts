import { describe, expect, it } from 'vitest';
import { HEADER } from '../../../../src/headers.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { NEW_SESSION } from '../../../support/exchange.ts';
import { mcpExchange, toolCall, type McpRequestOptions } from '../../../support/mcp-exchange.ts';
import { toExchange, type LoopConfig } from '../../../support/transcripts/replay.ts';
import { slowness, threadCpuMs } from '../../../support/cpu-time.ts';
import { loopRig } from './rig.ts';

const SESSION = { ...NEW_SESSION, steps: 0, lifeMs: 60_000 };

/** One session, a quarter of a second between its calls. */
function rig(config: LoopConfig = {}) {
  const { judge } = loopRig(config);
  const send = (exchange: Parsed, status?: number): Promise<string> =>
    judge(exchange, status === undefined ? {} : { status });
  async function sendAll(exchanges: readonly Parsed[]): Promise<string[]> {
    const seen: string[] = [];
    for (const exchange of exchanges) seen.push(await send(exchange));
    return seen;
  }
  return { send, sendAll };
}

function call(tool: string, args: JsonObject = {}, more: Partial<McpRequestOptions> = {}): Parsed {
  const headers = { [HEADER.sessionId]: 'one' };
  const exchange = mcpExchange({
    body: toolCall(tool, args),
    headers,
    key: { keyHash: 'sha256:a' },
    ...more,
  });
  exchange.facts.session = SESSION;
  return exchange;
}

function chat(say: string): Parsed {
  const exchange = toExchange({
    atSeconds: 0,
    provider: 'openai',
    body: { model: 'm', messages: [{ role: 'user', content: say }] },
  });
  exchange.facts.session = SESSION;
  const key = { ...exchange.key, keyHash: 'sha256:a' };
  return { ...exchange, key, headers: new Map([[HEADER.sessionId, 'one']]) };
}

const times = (count: number, make: (nth: number) => Parsed): Parsed[] =>
  Array.from({ length: count }, (_, nth) => make(nth));
const passes = (count: number): string[] => Array<string>(count).fill('pass');

describe('calls of MCP servers’ tools', () => {
  it('are a loop from the fourth call of the same tool with the same arguments', async () => {
    const again = (): Parsed => call('search', { query: 'annual report', page: 1 });
    expect(await rig().sendAll(times(5, again))).toEqual([...passes(3), 'fingerprint', 'fingerprint']);
    const blocking = rig({ action: 'block' });
    expect(await blocking.sendAll(times(4, again))).toEqual([...passes(3), 'fingerprint!']);
  });

  it('are equal without arguments too', async () => {
    expect(await rig().sendAll(times(4, () => call('list_files')))).toEqual([...passes(3), 'fingerprint']);
  });

  it.each<[string, (nth: number) => Parsed]>([
    ['other words', (nth) => call('search', { query: ['fox', 'hen', 'cow', 'pig', 'elk'][nth] })],
    ['another page', (nth) => call('search', { query: 'annual report', page: nth })],
    ['another file', (nth) => call('read_file', { path: `src/${'abcdef'[nth] ?? ''}.ts` })],
    ['another tool', (nth) => call(['read', 'stat', 'list', 'copy', 'move'][nth] ?? '', { path: 'a.ts' })],
    ['another server', (nth) => call('search', {}, { server: ['a', 'b', 'c', 'd', 'e'][nth] ?? '' })],
    ['true and false', (nth) => call('toggle', { on: nth % 2 === 0 })],
  ])('are no loop if they differ: %s', async (_what, make) => {
    expect(await rig().sendAll(times(5, make))).toEqual(passes(5));
  });

  it('are compared separately from the turns of their session', async () => {
    const { sendAll } = rig({
      fingerprint: { threshold: 1_000 },
      stall: { min_hamming_distance: 8, low_diversity_threshold: 3 },
    });
    const mixed = times(8, (nth) => (nth % 2 === 0 ? chat('Go on.') : call('search', { query: 'fox' })));
    expect(await sendAll(mixed)).toEqual([...passes(6), 'stall', 'stall']);
  });

  it('count with the turns of their session if calls per second are limited', async () => {
    const { sendAll } = rig({ velocity: { max_rps: 3 } });
    const mixed = times(4, (nth) => (nth % 2 === 0 ? chat(`Say ${String(nth)}`) : call('a', { nth })));
    expect(await sendAll(mixed)).toEqual([...passes(3), 'velocity']);
  });

  it('are repeats at either address of their server, but not those of another tool', async () => {
    const { send } = rig({ velocity: { max_endpoint_repeats: 2 } });
    expect(await send(call('a', { n: 1 }))).toBe('pass');
    expect(await send(call('a', { n: 2 }, { form: 'tools_call' }))).toBe('pass');
    expect(await send(call('b', { n: 3 }))).toBe('pass');
    expect(await send(call('a', { n: 4 }, { server: 'other' }))).toBe('pass');
    expect(await send(call('a', { n: 5 }))).toBe('velocity');
  });

  it('that were answered with 429 or 5xx are not counted', async () => {
    const { send } = rig();
    for (let nth = 0; nth < 6; nth++) expect(await send(call('search'), nth % 2 ? 429 : 503)).toBe('pass');
  });

  it('belong to the MCP session unless they name another, and to none without a session', async () => {
    const mcp = { headers: { 'mcp-session-id': 'mcp-1' } };
    expect(await rig().sendAll(times(4, () => call('search', {}, mcp)))).toEqual([
      ...passes(3),
      'fingerprint',
    ]);
    expect(await rig().sendAll(times(6, () => call('search', {}, { headers: {} })))).toEqual(passes(6));
  });

  it('are the only judged messages', async () => {
    const list = { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } };
    expect(await rig().sendAll(times(6, () => call('', {}, list)))).toEqual(passes(6));
  });

  it('of a megabyte cost less than 50 ms of one turn', async () => {
    const { send } = rig();
    const big = call('write_file', { text: 'word salad, tossed '.repeat(50_000), tags: [1, true, null] });
    const runs: number[] = [];
    for (let nth = 0; nth < 3; nth++) {
      const before = threadCpuMs();
      await send(big);
      runs.push(threadCpuMs() - before);
    }
    expect(Math.min(...runs) / slowness()).toBeLessThan(50);
  });
});
