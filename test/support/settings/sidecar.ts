import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Settings } from 'node:http2';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials, type ClientDuplexStream } from '@grpc/grpc-js';

import { createKeyStore } from '../../../src/auth/key-store.ts';
import type { NewKey } from '../../../src/auth/key-fields.ts';
import type { Config } from '../../../src/config/schema.ts';
import { followCredentials } from '../../../src/provider-credentials/follow.ts';
import { startSidecar, type Sidecar } from '../../../src/sidecar.ts';
import { defaultConfig } from '../default-config.ts';
import { loadServices } from '../ext-proc-client.ts';
import type { TestRedis } from '../redis.ts';

/** A request as a client writes it, and its upstream's answer. */
export interface Asked {
  /** `/openai/v1/chat/completions` unless set. */
  readonly path?: string;
  readonly method?: string;
  readonly rawKey: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON unless it is already text; absent for a request without a body. */
  readonly body?: unknown;
  readonly answer?: Answer;
}

export interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON unless it is already text; an event stream's chunks arrive in pieces. */
  readonly body: unknown;
  /** How the upstream was reached, as Envoy reports it. */
  readonly details?: string;
  readonly delayMs?: number;
  /** The client disconnects after this many milliseconds of the stream. */
  readonly goneAfterMs?: number;
}

/** The outcome, as Envoy would produce it. */
export interface Seen {
  /** Of the refusal, or of the answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Absent if the request was refused. */
  readonly upstream?: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
}

/** The sidecar of one worker, built by its own composition root, called in Envoy's place. */
export interface TestSidecar {
  readonly redis: TestRedis;
  readonly config: Config;
  ask(asked: Asked): Promise<Seen>;
  newKey(key?: Partial<NewKey>): Promise<{ readonly rawKey: string; readonly keyHash: string }>;
  metrics(): Promise<string>;
  /** The settings with which its HTTP/2 server opens a connection. */
  http2Settings(): Promise<Settings>;
  drain(): Promise<void>;
  close(): Promise<void>;
}

type Call = ClientDuplexStream<object, Reply>;

interface Mutation {
  readonly set_headers?: readonly { readonly header: { readonly key: string; readonly raw_value: Buffer } }[];
  readonly remove_headers?: readonly string[];
}

interface Common {
  readonly response?: {
    readonly header_mutation?: Mutation;
    readonly body_mutation?: {
      readonly body?: Buffer;
      readonly streamed_response?: { readonly body?: Buffer; readonly end_of_stream?: boolean };
    };
  };
}

interface Reply {
  readonly request_headers?: Common;
  readonly request_body?: Common;
  readonly response_headers?: Common;
  readonly response_body?: Common;
  readonly immediate_response?: {
    readonly status: { readonly code: number };
    readonly headers?: Mutation;
    readonly body?: Buffer;
  };
  readonly mode_override?: object;
  readonly override_message_timeout?: object;
}

/** A busy machine delays tests by more than the default of `server.shed_after`. */
const PATIENT_MS = 30_000;

function patient(config: Config): Config {
  const isDefault = config.server.shed_after === defaultConfig().server.shed_after;
  return isDefault ? { ...config, server: { ...config.server, shed_after: PATIENT_MS } } : config;
}

/**
 * Starts what `serve` starts in a worker. Sheds no requests, unless `server.shed_after` is set.
 * @param loaded as in gateway.yaml, loaded
 */
export async function startTestSidecar(loaded: Config, redis: TestRedis): Promise<TestSidecar> {
  const config = patient(loaded);
  const directory = await mkdtemp(join(tmpdir(), 'settings-'));
  const path = join(directory, 'sidecar.sock');
  const followed = await followCredentials({
    credentials: config.credentials,
    environment: { PROBE_KEY: 'sk-probe', OTHER_PROBE_KEY: 'sk-other-probe' },
    onChanged: () => undefined,
    onSource: () => undefined,
    onEnded: () => undefined,
  });
  followed.close();
  const sidecar: Sidecar = await startSidecar({
    config,
    credentials: followed.values(),
    index: 0,
    address: { kind: 'unix', path },
    onRedis: () => undefined,
  });
  const client = new (loadServices().processor)(`unix:${path}`, credentials.createInsecure());
  let drained = false;
  async function drain(): Promise<void> {
    drained = true;
    await sidecar.drain();
  }
  return {
    redis,
    config,
    ask: (asked) => exchange((client as unknown as Record<'Process', () => Call>).Process(), asked),
    async newKey(key) {
      const { rawKey, record } = await createKeyStore(redis.client).create({
        name: `settings-${String(Math.random()).slice(2)}`,
        provider: 'openai',
        ...key,
      });
      return { rawKey, keyHash: record.keyHash };
    },
    metrics: () => sidecar.metrics.registry.metrics(),
    http2Settings: async () => {
      const session = connect('http://sidecar', { createConnection: () => createConnection(path) });
      const [settings] = (await once(session, 'remoteSettings')) as [Settings];
      session.destroy();
      return settings;
    },
    drain,
    async close() {
      client.close();
      if (!drained) await sidecar.drain();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function exchange(call: Call, asked: Asked): Promise<Seen> {
  const replies = repliesOf(call);
  const body = asked.body === undefined ? undefined : bytesOf(asked.body);
  call.write({
    request_headers: headerMessage(requestHeaders(asked, body), body === undefined),
    attributes: attributes({ 'source.address': '127.0.0.1:40000' }),
  });
  try {
    let reply = await replies.next();
    if (body !== undefined && reply.immediate_response === undefined) {
      call.write({ request_body: { body, end_of_stream: true } });
      reply = await replies.next();
    }
    if (reply.immediate_response !== undefined) return refused(reply.immediate_response);
    const { response } = reply.request_body ?? reply.request_headers ?? {};
    const upstream = {
      headers: headersOf(response?.header_mutation),
      body: (response?.body_mutation?.body ?? body ?? Buffer.alloc(0)).toString(),
    };
    const answer = asked.answer ?? { body: {} };
    if (answer.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
    return { ...(await answered(call, replies, answer)), upstream };
  } finally {
    call.end();
  }
}

async function answered(call: Call, replies: Replies, answer: Answer): Promise<Seen> {
  const { status = 200, type = 'application/json', details = 'via_upstream' } = answer;
  const bytes = bytesOf(answer.body);
  call.write({
    response_headers: headerMessage(
      { ':status': String(status), 'content-type': type, ...answer.headers },
      bytes.length === 0,
    ),
    attributes: attributes({ 'response.code_details': details }),
  });
  const first = await replies.next();
  if (first.immediate_response !== undefined) return refused(first.immediate_response);
  const headers = headersOf(first.response_headers?.response?.header_mutation);
  if (first.mode_override === undefined) {
    if (bytes.length === 0) return { status, headers, body: '' };
    call.write({ response_body: { body: bytes, end_of_stream: true } });
    const second = await replies.next();
    if (second.immediate_response !== undefined) return refused(second.immediate_response);
    const { response } = second.response_body ?? {};
    const changed = response?.body_mutation?.body;
    return {
      status,
      headers: { ...headers, ...headersOf(response?.header_mutation) },
      body: (changed ?? bytes).toString(),
    };
  }
  if (answer.goneAfterMs !== undefined) {
    call.write({ response_body: { body: bytes, end_of_stream: false } });
    await new Promise((resolve) => setTimeout(resolve, answer.goneAfterMs));
    call.cancel();
    return { status, headers, body: '' };
  }
  call.write({ response_body: { body: bytes, end_of_stream: true } });
  let streamed = '';
  for (;;) {
    const piece = (await replies.next()).response_body?.response?.body_mutation?.streamed_response;
    streamed += piece?.body?.toString() ?? '';
    if (piece?.end_of_stream === true) return { status, headers, body: streamed };
  }
}

interface Replies {
  /** The next reply of a phase. */
  next(): Promise<Reply>;
}

/** @throws the stream's failure, once it has failed */
function repliesOf(call: Call): Replies {
  const ready: Reply[] = [];
  const waiting: { resolve(reply: Reply): void; reject(cause: Error): void }[] = [];
  let failure: Error | undefined;
  call.on('data', (reply: Reply) => {
    if (reply.override_message_timeout !== undefined) return;
    const first = waiting.shift();
    if (first === undefined) ready.push(reply);
    else first.resolve(reply);
  });
  call.on('error', (cause: Error) => {
    failure = cause;
    for (const { reject } of waiting.splice(0)) reject(cause);
  });
  return {
    next: () =>
      new Promise((resolve, reject) => {
        const reply = ready.shift();
        if (reply !== undefined) resolve(reply);
        else if (failure !== undefined) reject(failure);
        else waiting.push({ resolve, reject });
      }),
  };
}

function refused(answer: NonNullable<Reply['immediate_response']>): Seen {
  return {
    status: answer.status.code,
    headers: headersOf(answer.headers),
    body: answer.body?.toString() ?? '',
  };
}

function requestHeaders(asked: Asked, body: Buffer | undefined): Readonly<Record<string, string>> {
  const { path = '/openai/v1/chat/completions', method = 'POST', rawKey } = asked;
  return {
    ':method': method,
    ':path': path,
    ':scheme': 'http',
    ':authority': 'gateway.test',
    'x-request-id': '11111111-1111-4111-8111-111111111111',
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(body.length) }),
    authorization: `Bearer ${rawKey}`,
    'x-gateway-provider-key': 'sk-provider-0123456789',
    ...asked.headers,
  };
}

function headerMessage(headers: Readonly<Record<string, string>>, endOfStream: boolean): object {
  const list = Object.entries(headers).map(([key, value]) => ({ key, raw_value: Buffer.from(value) }));
  return { headers: { headers: list }, end_of_stream: endOfStream };
}

function attributes(values: Readonly<Record<string, string>>): object {
  const fields = Object.fromEntries(
    Object.entries(values).map(([name, stringValue]) => [name, { stringValue }]),
  );
  return { 'envoy.filters.http.ext_proc': { fields } };
}

function headersOf(mutation: Mutation | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (mutation?.set_headers ?? []).map(({ header }) => [header.key, header.raw_value.toString()]),
  );
}

function bytesOf(body: unknown): Buffer {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
