import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sinceStamp, STAMP } from './time-stamp.ts';

/** One target's request as bytes, and its address. */
export interface Target {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface LoadResult {
  readonly requests: number;
  /** Answers with an unexpected status, including `cut` and `refused`. */
  readonly failures: number;
  /** Number of answers by status; `cut`: the connection died first; `refused`: no connection. */
  readonly statuses: ReadonlyMap<string, number>;
  readonly seconds: number;
  /** Sorted, in milliseconds. */
  readonly latenciesMs: readonly number[];
}

/** The canned provider answers it with a mail address. */
export const ANSWER_WITH_MAIL = 'To whom shall I write?';
const PROMPT = 'The quick brown fox jumps over the lazy dog. '.repeat(22);

export function chatBody(stream: boolean, prompt = PROMPT): string {
  return JSON.stringify({
    model: 'gpt-4o-mini',
    max_tokens: 100,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
    messages: [{ role: 'user', content: prompt }],
  });
}

export function requestBytes(target: Target, body: string): Buffer {
  const headers = Object.entries({
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...target.headers,
  });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`POST ${target.path} HTTP/1.1\r\n${head}\r\n${body}`);
}

/**
 * A closed loop over raw sockets: `connections` of them, each with one request at a time, until `requests` are done
 * or `signal` aborts. A cut connection is opened again.
 */
export async function runLoad(
  target: Target,
  options: {
    readonly connections: number;
    readonly requests: number;
    /** The same for each request, or created for each. */
    readonly bytes?: Buffer | (() => Buffer);
    readonly expected?: number;
    readonly signal?: AbortSignal;
    /** Called for each answer. */
    readonly onAnswer?: (status: string, latencyMs: number) => void;
  },
): Promise<LoadResult> {
  const bytes = options.bytes ?? requestBytes(target, chatBody(false));
  const expected = String(options.expected ?? 200);
  const latenciesMs: number[] = [];
  const statuses = new Map<string, number>();
  let started = 0;
  const begin = performance.now();
  async function one(): Promise<void> {
    let connection: Connection | undefined;
    while (started < options.requests && options.signal?.aborted !== true) {
      started++;
      const request = typeof bytes === 'function' ? bytes() : bytes;
      const sent = performance.now();
      if (connection === undefined || connection.socket.destroyed) connection = await connected(target.port);
      connection?.socket.write(request);
      const status = (await connection?.read()) ?? 'refused';
      const latencyMs = performance.now() - sent;
      latenciesMs.push(latencyMs);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      options.onAnswer?.(status, latencyMs);
      if (connection === undefined) await sleep(REFUSED_PAUSE_MS);
    }
    connection?.socket.destroy();
  }
  await Promise.all(Array.from({ length: options.connections }, one));
  latenciesMs.sort((a, b) => a - b);
  const requests = latenciesMs.length;
  const seconds = (performance.now() - begin) / 1000;
  return { requests, failures: requests - (statuses.get(expected) ?? 0), statuses, seconds, latenciesMs };
}

/** Wait before the next attempt if the connection is refused. */
const REFUSED_PAUSE_MS = 20;

interface Connection {
  readonly socket: Socket;
  read(): Promise<string>;
}

async function connected(port: number): Promise<Connection | undefined> {
  try {
    const socket = await open(port);
    return { socket, read: responses(socket) };
  } catch {
    return undefined;
  }
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

/** Status of each response in turn; supports only content-length and chunked bodies. */
function responses(socket: Socket): () => Promise<string> {
  let pending = Buffer.alloc(0);
  let closed = false;
  let waiting: ((status: string) => void) | undefined;
  function deliver(status: string): void {
    const resolve = waiting;
    waiting = undefined;
    resolve?.(status);
  }
  socket.on('data', (data) => {
    pending = pending.length === 0 ? data : Buffer.concat([pending, data]);
    const end = pending.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = pending.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    const whole = length === undefined ? pending.indexOf('0\r\n\r\n', end) + 5 : end + 4 + Number(length);
    if (length === undefined ? whole < 5 : pending.length < whole) return;
    pending = pending.subarray(whole);
    deliver(head.slice(9, 12));
  });
  socket.on('error', () => deliver('cut'));
  socket.on('close', () => {
    closed = true;
    deliver('cut');
  });
  return () =>
    new Promise((resolve) => {
      if (closed) resolve('cut');
      else waiting = resolve;
    });
}

export interface StreamResult {
  readonly firstTokenMs: number;
  /** Delays of chunks from the provider's write to their arrival here, sorted. */
  readonly chunkDelaysMs: readonly number[];
}

/** One stream: the time of its first token, and the delay of each chunk. A refused or cut one has no more chunks. */
export async function runStream(
  target: Target,
  bytes = requestBytes(target, chatBody(true)),
): Promise<StreamResult> {
  const socket = await open(target.port);
  const sent = performance.now();
  socket.write(bytes);
  const chunkDelaysMs: number[] = [];
  let firstTokenMs = 0;
  let rest = '';
  await new Promise<void>((resolve) => {
    socket.on('data', (data) => {
      const text = rest + data.toString('latin1');
      const whole = text.lastIndexOf('\n') + 1;
      rest = text.slice(whole);
      for (const [, letters = ''] of text.slice(0, whole).matchAll(STAMP)) {
        if (firstTokenMs === 0) firstTokenMs = performance.now() - sent;
        chunkDelaysMs.push(sinceStamp(letters));
      }
      if (text.includes('[DONE]')) resolve();
    });
    socket.on('close', () => resolve());
    socket.on('error', () => resolve());
  });
  socket.destroy();
  chunkDelaysMs.sort((a, b) => a - b);
  return { firstTokenMs, chunkDelaysMs };
}
