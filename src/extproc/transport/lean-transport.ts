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
} from './transport.ts';
import { messagePrefix } from './grpc-messages.ts';
import { failure, LeanCall, RESPONSE_HEAD, STATUS_OK } from './lean-call.ts';

/** Answer to requests other than gRPC (gRPC over HTTP/2, "Responses"). */
const NOT_GRPC = encodeHeaders([[':status', '415']]);
const GRPC_TYPE = /^application\/grpc(?:[+;]|$)/;

/**
 * Serves the external processor and the health service with `src/http2`, which is designed for a single peer: Envoy.
 */
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
      stream.abort(failure(GRPC_STATUS.unimplemented, 'there is no such method', true), CODE.noError);
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

/** Reads `grpc-timeout`; undefined if it is missing or invalid. */
export function timeoutMs(written: string | undefined): number | undefined {
  const [, amount = '', unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(written ?? '') ?? [];
  const ms = Number(amount) * (UNIT_MS[unit] ?? NaN);
  return ms <= MAX_TIMER_MS ? ms : undefined;
}
