import { GRPC_STATUS, type RpcCall, type CallListener } from '../../src/extproc/transport/transport.ts';
import type { ProcessingRequest, ProcessingResponse } from '../../src/extproc/wire/messages.ts';
import {
  awaitRequestBody,
  awaitResponseBody,
  forwardRequest,
  passWhole,
  startStream,
  streamChunk,
} from '../../src/extproc/reply/respond.ts';
import { loadTransport, type TransportName } from '../../src/extproc/server.ts';

/** The message at which the imposter misbehaves. `chunk` is the n-th chunk of a stream, from 1. */
export type Moment =
  'request_headers' | 'request_body' | 'response_headers' | 'response_body' | `chunk ${number}`;

export interface Misbehaviour {
  readonly at: Moment;
  /** Whether that message is still answered correctly. */
  readonly answers: boolean;
  /**
   * close: ends the stream cleanly, which alone fails open; route: names the upstream without a
   * verdict, then closes; error: a gRPC error; hang: sends nothing more; empty: an empty reply, then closes.
   */
  readonly way: 'close' | 'route' | 'error' | 'hang' | 'empty';
}

/** The reply that asks Envoy for the answer. Ours does with the headers; an earlier version did not need to. */
export type Asking = 'with the headers' | 'with the body' | 'never';

export interface Imposter {
  askForAnswers(asking: Asking): void;
  misbehave(misbehaviour: Misbehaviour | undefined): void;
  /** Bytes of the latest stream that it passed; one chunk from Envoy may contain several of the provider's events. */
  emittedBytes(): number;
  stop(): void;
}

/** The upstream of every request, with further headers for Envoy. */
export interface Route {
  readonly cluster: string;
  readonly authority: string;
  readonly more: readonly (readonly [string, string])[];
}

/** A sidecar that inspects nothing, answers like ours, and misbehaves at one message. */
export async function startImposter(
  socketPath: string,
  upstream: Route,
  transport: TransportName,
): Promise<Imposter> {
  let misbehaviour: Misbehaviour | undefined;
  let asking: Asking = 'with the headers';
  let emittedBytes = 0;
  const start = await loadTransport(transport);
  const { close } = await start({
    address: { kind: 'unix', path: socketPath },
    accept(call) {
      emittedBytes = 0;
      return play(call, upstream, {
        misbehaviour: () => misbehaviour,
        asking: () => asking,
        onEmitted: (bytes) => (emittedBytes = bytes),
      });
    },
    isServing: () => true,
    onFault(cause) {
      throw cause;
    },
  });
  return {
    askForAnswers(next) {
      asking = next;
    },
    misbehave(next) {
      misbehaviour = next;
    },
    emittedBytes: () => emittedBytes,
    stop: close,
  };
}

const { mode_override: ASKED } = awaitRequestBody();

function play(
  call: RpcCall,
  upstream: Route,
  director: {
    readonly misbehaviour: () => Misbehaviour | undefined;
    readonly asking: () => Asking;
    readonly onEmitted: (bytes: number) => void;
  },
): CallListener {
  let chunks = 0;
  let emitted = 0;
  let streaming = false;
  let over = false;
  const routing: [string, string][] = [
    [':path', '/v1/x'],
    [':authority', upstream.authority],
    ['x-gateway-upstream', upstream.cluster],
    ...upstream.more.map(([name, value]): [string, string] => [name, value]),
  ];

  function asks(headersReply: ProcessingResponse): ProcessingResponse {
    const { mode_override: _asked, ...silent } = headersReply;
    return director.asking() === 'with the headers' ? headersReply : silent;
  }

  function reply(message: ProcessingRequest): ProcessingResponse {
    switch (message.phase) {
      case 'request_headers':
        return asks(
          message.endOfStream
            ? forwardRequest('request_headers', { set: routing, remove: [] })
            : awaitRequestBody(),
        );
      case 'request_body':
        return {
          ...forwardRequest('request_body', { set: routing, remove: [] }),
          ...(director.asking() === 'with the body' && ASKED !== undefined && { mode_override: ASKED }),
        };
      case 'response_headers': {
        const [, type] = message.headers.find(([name]) => name === 'content-type') ?? [];
        streaming = type?.startsWith('text/event-stream') ?? false;
        return streaming ? startStream({ set: [], remove: [] }) : awaitResponseBody();
      }
      default: {
        if (!streaming) return passWhole('response_body', { set: [], remove: [] });
        const { body, endOfStream } = message;
        emitted += body.length;
        director.onEmitted(emitted);
        return streamChunk(body, endOfStream, emitted);
      }
    }
  }

  function receive(message: ProcessingRequest): void {
    if (over) return;
    const moment = streaming && message.phase === 'response_body' ? `chunk ${++chunks}` : message.phase;
    const plan = director.misbehaviour();
    if (plan === undefined || plan.at !== moment) {
      call.write(reply(message));
      return;
    }
    over = true;
    if (plan.answers) call.write(reply(message));
    if (plan.way === 'empty') call.write({});
    if (plan.way === 'route') {
      const phase = message.phase === 'request_body' ? 'request_body' : 'request_headers';
      const { verdict: _verdict, ...withoutVerdict } = forwardRequest(phase, {
        set: routing,
        remove: [],
      });
      call.write(withoutVerdict);
    }
    if (plan.way === 'error') call.fail(GRPC_STATUS.internal, 'broken');
    else if (plan.way !== 'hang') call.end();
  }

  return {
    message: receive,
    ended: () => call.end(),
    drained: () => undefined,
    closed: () => undefined,
  };
}
