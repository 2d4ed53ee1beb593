import { chmodSync, rmSync } from 'node:fs';
import type { TlsOptions } from 'node:tls';
import { CODE } from '../../http2/frame.ts';
import { encodeHeaders } from '../../http2/hpack-encoder.ts';
import { headerOf, type Http2RequestHead } from '../../http2/request-head.ts';
import { startHttp2Server } from '../../http2/server.ts';
import type { Http2Stream, StreamEvents } from '../../http2/stream.ts';
import {
  GRPC_STATUS,
  healthReply,
  HEALTH_PATH,
  PROCESS_PATH,
  TOKEN_HEADER,
  type ListenTls,
  type Transport,
  type TransportOptions,
  type RpcCall,
  type CallListener,
  type FailStatus,
  MAX_MESSAGE_BYTES,
} from './transport.ts';
import { messagePrefix, MessageReader, type MessageEvents } from './grpc-messages.ts';
import { decodeRequest } from '../wire/decode-request.ts';
import { encodeResponse } from '../wire/encode-response.ts';
import type { ProcessingResponse } from '../wire/messages.ts';

/** Response to requests that are not gRPC (gRPC over HTTP/2, "Responses"). */
const NOT_GRPC = encodeHeaders([[':status', '415']]);
const GRPC_TYPE = /^application\/grpc(?:[+;]|$)/;

/** Serves the external processor and the health service with `src/http2`, designed for a single peer: Envoy. */
export async function startLeanTransport(options: TransportOptions): Promise<Transport> {
  const { address } = options;
  if (address.kind === 'unix') rmSync(address.path, { force: true });
  const server = await startHttp2Server({
    address,
    tls: address.kind === 'tcp' && address.tls !== undefined ? tlsOptions(address.tls) : undefined,
    accept: (stream, head) => serveCall(stream, head, options),
    onFault: options.onFault,
  });
  if (address.kind === 'unix') chmodSync(address.path, 0o600);
  return {
    close: server.close,
    renewTls: (tls) => {
      server.renewTls(tlsOptions(tls));
    },
  };
}

function tlsOptions({ cert, key, clientCa }: ListenTls): TlsOptions {
  return { cert, key, ca: clientCa, requestCert: true, rejectUnauthorized: true };
}

function serveCall(stream: Http2Stream, head: Http2RequestHead, options: TransportOptions): StreamEvents {
  if (head.method !== 'POST' || !GRPC_TYPE.test(headerOf(head, 'content-type') ?? '')) {
    stream.abort(NOT_GRPC, CODE.noError);
    return IGNORED;
  }
  switch (head.path) {
    case PROCESS_PATH:
      return process(stream, head, options);
    case HEALTH_PATH:
      return health(stream, options);
    default:
      stream.abort(failure(GRPC_STATUS.unimplemented, 'unknown method', true), CODE.noError);
      return IGNORED;
  }
}

function process(stream: Http2Stream, head: Http2RequestHead, options: TransportOptions): StreamEvents {
  const call = new LeanCall(stream, options.onFault);
  const listener = options.accept(call, headerOf(head, TOKEN_HEADER));
  if (listener === undefined) call.fail(GRPC_STATUS.unavailable, 'not accepting new streams');
  else call.listen(listener, timeoutMs(headerOf(head, 'grpc-timeout')));
  return call;
}

/** `grpc.health.v1.Health/Check` for any service. */
function health(stream: Http2Stream, { isServing }: TransportOptions): StreamEvents {
  return {
    ...IGNORED,
    ended() {
      const reply = healthReply(isServing());
      stream.respond(RESPONSE_HEAD);
      stream.send(messagePrefix(reply.length) + reply);
      stream.end(STATUS_OK);
    },
  };
}

const nothing = (): void => undefined;
const IGNORED: StreamEvents = { data: nothing, ended: nothing, drained: nothing, closed: nothing };

const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};
const MAX_TIMER_MS = 0x7fff_ffff;

/** Parses `grpc-timeout`. Returns undefined if it is missing, invalid or too long for a timer. */
export function timeoutMs(written: string | undefined): number | undefined {
  const [, amount = '', unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(written ?? '') ?? [];
  const ms = Number(amount) * (UNIT_MS[unit] ?? NaN);
  return ms <= MAX_TIMER_MS ? ms : undefined;
}

const HEAD: readonly (readonly [string, string])[] = [
  [':status', '200'],
  ['content-type', 'application/grpc'],
];
const RESPONSE_HEAD = encodeHeaders(HEAD);
const STATUS_OK = encodeHeaders([['grpc-status', '0']]);

/** Returns failure trailers, or the whole response if nothing was sent ("Trailers-Only"). `details` must be ASCII. */
function failure(status: FailStatus, details: string, isFirst: boolean): string {
  return encodeHeaders([
    ...(isFirst ? HEAD : []),
    ['grpc-status', String(status)],
    ['grpc-message', details],
  ]);
}

const BROKEN = {
  compressed: [GRPC_STATUS.unimplemented, 'compressed messages are not supported'],
  'too long': [GRPC_STATUS.resourceExhausted, 'a message is too long'],
  cut: [GRPC_STATUS.internal, 'the last message is truncated'],
} as const;

class LeanCall implements RpcCall, StreamEvents, MessageEvents {
  readonly #stream: Http2Stream;
  readonly #onFault: (cause: unknown) => void;
  readonly #reader = new MessageReader(MAX_MESSAGE_BYTES, this);
  #listener: CallListener | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #hasResponded = false;

  constructor(stream: Http2Stream, onFault: (cause: unknown) => void) {
    this.#stream = stream;
    this.#onFault = onFault;
  }

  listen(listener: CallListener, deadlineMs: number | undefined): void {
    this.#listener = listener;
    if (deadlineMs === undefined) return;
    this.#deadline = setTimeout(() => {
      this.fail(GRPC_STATUS.deadlineExceeded, 'the deadline has passed');
    }, deadlineMs);
  }

  write(reply: ProcessingResponse): boolean {
    const { head, tail } = encodeResponse(reply);
    if (!this.#hasResponded) {
      this.#hasResponded = true;
      this.#stream.respond(RESPONSE_HEAD);
    }
    const length = head.length + (tail?.length ?? 0);
    return this.#stream.send(messagePrefix(length) + head, tail);
  }

  end(): void {
    this.#stream.end(this.#hasResponded ? STATUS_OK : RESPONSE_HEAD + STATUS_OK);
  }

  fail(status: FailStatus, details: string): void {
    this.#stream.abort(failure(status, details, !this.#hasResponded), CODE.noError);
  }

  pause(): void {
    this.#reader.pause();
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
    this.#reader.resume();
  }

  data(bytes: Buffer, from: number, to: number): void {
    this.#reader.push(bytes, from, to);
  }

  ended(): void {
    this.#reader.end();
  }

  drained(): void {
    this.#listener?.drained();
  }

  closed(): void {
    clearTimeout(this.#deadline);
    this.#reader.stop();
    this.#listener?.closed();
  }

  message(bytes: Buffer, from: number, to: number): void {
    let request;
    try {
      request = decodeRequest(bytes, from, to);
    } catch (cause) {
      this.#onFault(cause);
      this.fail(GRPC_STATUS.internal, 'a message cannot be decoded');
      return;
    }
    this.#listener?.message(request);
  }

  finished(): void {
    this.#listener?.ended();
  }

  broken(why: keyof typeof BROKEN): void {
    const [status, details] = BROKEN[why];
    this.fail(status, details);
  }
}
