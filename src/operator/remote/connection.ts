import { parsedJson } from '../../json/parsed.ts';
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { isLoopbackHost } from '../../config/address.ts';
import { messageOf } from '../../errors.ts';
import { callsAnswer, MAX_CALLS, type Call } from './calls.ts';
import { MAX_COST, OPERATIONS, type ChangeOperation, type ReadOperation } from './table.ts';

export interface ConnectionOptions {
  /** Root URL of the operator page. */
  readonly server: string;
  /** An API token. Never logged or shown in errors. */
  readonly token: string;
  /** Reason for changes, for the audit trail. */
  readonly reason?: string | undefined;
}

/** Calls an operation. Throws Error with a message for the operator. */
export type CallOperation = (call: Call) => Promise<unknown>;

/** Maximum length of the calls in one request body, below the server's limit. */
const MAX_BODY_CHARS = 48_000;
const TIMEOUT_MS = 30_000;
/** Maximum number of attempts per request, if the connection breaks. The Idempotency-Key makes repeats safe. */
const ATTEMPTS = 2;

interface PendingCall {
  readonly call: Call;
  readonly chars: number;
  readonly cost: number;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/**
 * Connects to the operator API. Concurrent reads share a request.
 * @throws Error for an invalid URL, or one that would send the token unencrypted
 */
export function createConnection(options: ConnectionOptions): CallOperation {
  const url = operationsUrl(options.server);
  let pending: PendingCall[] = [];

  async function send(batch: readonly PendingCall[]): Promise<void> {
    try {
      const calls = batch.map(({ call }) => call);
      const results = await post(url, options, calls);
      batch.forEach(({ resolve }, index) => resolve(results[index]?.result));
    } catch (failure) {
      for (const { reject } of batch) reject(failure);
    }
  }

  function flush(): void {
    const batches = batchesOf(pending);
    pending = [];
    for (const batch of batches) void send(batch);
  }

  return (call) =>
    new Promise((resolve, reject) => {
      const operation: ReadOperation | ChangeOperation = OPERATIONS[call.operation];
      const cost = operation.kind === 'read' ? operation.cost(call.arguments) : MAX_COST;
      const added = { call, chars: JSON.stringify(call).length, cost, resolve, reject };
      if (operation.kind === 'change') {
        void send([added]);
        return;
      }
      pending.push(added);
      // Runs after the microtasks of this turn, when a command has started all its reads.
      if (pending.length === 1) setImmediate(flush);
    });
}

function operationsUrl(server: string): URL {
  const root = URL.canParse(server) ? new URL(server) : undefined;
  if (root === undefined || !['http:', 'https:'].includes(root.protocol) || root.username !== '')
    throw new Error(
      '--server must be the URL of the operator page, such as https://gateway.example.com:9091',
    );
  if (root.protocol === 'http:' && !isLoopbackHost(root.hostname))
    throw new Error('--server: the token would be sent unencrypted. Use https');
  return new URL('/api/operations', root);
}

function batchesOf(pending: readonly PendingCall[]): readonly (readonly PendingCall[])[] {
  const batches: PendingCall[][] = [];
  let last: PendingCall[] = [];
  let [chars, cost] = [0, Infinity];
  for (const call of pending) {
    const isFull =
      last.length === MAX_CALLS || chars + call.chars > MAX_BODY_CHARS || cost + call.cost > MAX_COST;
    if (isFull) {
      last = [];
      [chars, cost] = [0, 0];
      batches.push(last);
    }
    last.push(call);
    chars += call.chars;
    cost += call.cost;
  }
  return batches;
}

async function post(
  url: URL,
  { token, reason }: ConnectionOptions,
  calls: readonly Call[],
): Promise<z.output<typeof callsAnswer>['results']> {
  const request = {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ calls, reason }),
    // A redirect would send the token elsewhere.
    redirect: 'error',
  } as const;
  const response = await fetchAgain(url, request);
  const text = await response.text();
  if (!response.ok) throw new Error(detailOf(response.status, text, url));
  const read = callsAnswer.safeParse(parsedJson(text));
  if (!read.success) throw new Error(`${url.origin} is not the operator page of a gateway`);
  return read.data.results;
}

async function fetchAgain(url: URL, request: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetch(url, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch (failure) {
      if (attempt < ATTEMPTS && isBrokenConnection(failure)) continue;
      throw new Error(`${url.origin} cannot be reached: ${reasonOf(failure)}`, { cause: failure });
    }
  }
}

function isBrokenConnection(failure: unknown): boolean {
  return codeOf(failure) === 'ECONNRESET' || codeOf(failure) === 'UND_ERR_SOCKET';
}

function codeOf(failure: unknown): unknown {
  const cause: unknown = failure instanceof Error ? failure.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
}

/** Returns the reason from the cause of the error thrown by `fetch`. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return messageOf(failure);
  if (failure.name === 'TimeoutError') return `it did not answer within ${String(TIMEOUT_MS / 1_000)} s`;
  const code = codeOf(failure);
  const reason = messageOf(failure.cause ?? failure) || String(code);
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(String(code))
    ? `its certificate is not trusted here (${reason}). Set NODE_EXTRA_CA_CERTS to the file of its certificate authority`
    : reason;
}

const problem = z.object({ detail: z.string() });

function detailOf(status: number, text: string, url: URL): string {
  const read = problem.safeParse(parsedJson(text));
  return read.success ? read.data.detail : `${url.origin} answered ${String(status)}`;
}
