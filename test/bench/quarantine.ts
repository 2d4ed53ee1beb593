import { connect, type ClientHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatBody, percentile, type Target } from '../support/load.ts';
import { median } from './statistics.ts';

/** Requests of a locked key, compared with a route that Envoy answers itself. */
export interface QuarantineTargets {
  readonly directResponse: Target;
  readonly quarantined: Target;
}

export interface QuarantineResult {
  /** Milliseconds by number of connections. */
  readonly addedP50Ms: Readonly<Record<string, number>>;
  readonly addedP99Ms: Readonly<Record<string, number>>;
  readonly rounds: readonly QuarantineRound[];
}

export interface QuarantineRound {
  readonly connections: number;
  readonly directP50Ms: number;
  readonly directP99Ms: number;
  readonly quarantinedP50Ms: number;
  readonly quarantinedP99Ms: number;
}

/** docs/mcp.md: a quarantine rejection takes less than this. */
export const LIMIT_MS = 2;

const CONNECTIONS = [1, 32] as const;
const REQUESTS_PER_SECOND = 1_000;
const SECONDS = 4;
/** The first requests are not counted: they pay for a connection's buffers. */
const WARM_UP_SECONDS = 0.5;
/** An answer that takes longer fails the bench. */
const LATEST_MS = 10_000;

/**
 * The latency that a rejection adds to the p50 and p99 of an Envoy that answers by itself: an open loop of 1,000 requests a
 * second, both sides in turn in each round, and the median of the rounds' differences. HTTP/2, because one connection must
 * carry all of them, and a late answer may not delay the next request. A request's time starts when it is due.
 */
export async function measureQuarantine(
  { directResponse, quarantined }: QuarantineTargets,
  rounds: number,
): Promise<QuarantineResult> {
  const measured: QuarantineRound[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const connections of CONNECTIONS) {
      const sides = [directResponse, quarantined].map((target) => () => openLoop(target, connections));
      const [direct = [], ours = []] = await inTurn(sides, round % 2 === 1);
      if (round === 0) continue;
      const one: QuarantineRound = {
        connections,
        directP50Ms: percentile(direct, 0.5),
        directP99Ms: percentile(direct, 0.99),
        quarantinedP50Ms: percentile(ours, 0.5),
        quarantinedP99Ms: percentile(ours, 0.99),
      };
      measured.push(one);
      process.stderr.write(`round ${round} of ${rounds}: ${JSON.stringify(one)}\n`);
    }
  }
  return {
    addedP50Ms: added(measured, (one) => one.quarantinedP50Ms - one.directP50Ms),
    addedP99Ms: added(measured, (one) => one.quarantinedP99Ms - one.directP99Ms),
    rounds: measured,
  };
}

/** Runs both, in alternating order. Answers in the given order. */
async function inTurn<T>(sides: readonly (() => Promise<T>)[], reversed: boolean): Promise<T[]> {
  const results: T[] = [];
  for (const side of reversed ? sides.toReversed() : sides) results.push(await side());
  return reversed ? results.toReversed() : results;
}

/** Medians of the rounds, by number of connections. */
function added(
  rounds: readonly QuarantineRound[],
  differenceMs: (round: QuarantineRound) => number,
): Readonly<Record<string, number>> {
  const of = (connections: number): number =>
    median(rounds.filter((round) => round.connections === connections).map(differenceMs));
  return Object.fromEntries(CONNECTIONS.map((connections) => [connections, of(connections)]));
}

/** Sorted latencies in ms of every request after the warm-up; throws if one is not answered with 403. */
async function openLoop(target: Target, connections: number): Promise<readonly number[]> {
  const sessions = await Promise.all(Array.from({ length: connections }, () => open(target.port)));
  const latenciesMs: number[] = [];
  const wrong = new Set<string>();
  const pending: Promise<void>[] = [];
  const total = REQUESTS_PER_SECOND * (WARM_UP_SECONDS + SECONDS);
  const begin = performance.now();
  async function send(index: number, due: number): Promise<void> {
    const status = await ask(sessions[index % connections], target);
    if (status !== '403') wrong.add(status);
    if (index >= REQUESTS_PER_SECOND * WARM_UP_SECONDS) latenciesMs.push(performance.now() - due);
  }
  while (pending.length < total) {
    // A timer wakes up to a millisecond late: everything due by now is sent, and its clock starts now.
    const now = performance.now();
    const due = Math.min(total, Math.floor(((now - begin) / 1_000) * REQUESTS_PER_SECOND));
    while (pending.length < due) pending.push(send(pending.length, now));
    await sleep(1);
  }
  await Promise.all(pending);
  for (const session of sessions) session.destroy();
  if (wrong.size > 0) throw new Error(`the machine does not carry the load: ${[...wrong].join(', ')}`);
  return latenciesMs.toSorted((a, b) => a - b);
}

async function open(port: number): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${port}`);
  await new Promise<void>((resolve, reject) =>
    session.once('connect', () => resolve()).once('error', reject),
  );
  return session;
}

const BODY = chatBody(false);

/** One chat request; resolves with its status when its answer is complete, or with the failure. */
function ask(session: ClientHttp2Session | undefined, { path, headers }: Target): Promise<string> {
  if (session === undefined || session.destroyed) return Promise.resolve('connection lost');
  return new Promise((resolve) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/json',
      ...headers,
    });
    let status = 'no answer';
    stream.setTimeout(LATEST_MS, () => stream.close());
    stream.on('response', (head) => (status = String(head[':status'])));
    // An answer before the body's end resets the stream: the rest of the request is not needed.
    stream.on('error', () => undefined);
    stream.on('close', () => resolve(status));
    stream.resume();
    stream.end(BODY);
  });
}
