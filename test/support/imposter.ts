import { Server, ServerCredentials, status, type ServerDuplexStream } from '@grpc/grpc-js';
import { loadServices, type ProcessingRequest, type ProcessingResponse } from '../../src/extproc/proto.ts';
import {
  awaitRequestBody,
  awaitResponseBody,
  forwardRequest,
  passWhole,
  startStream,
  streamChunk,
} from '../../src/extproc/respond.ts';

/** Where the imposter misbehaves. `chunk` is the n-th chunk of a stream, from 1. */
export type Moment =
  'request_headers' | 'request_body' | 'response_headers' | 'response_body' | `chunk ${number}`;

export interface Misbehaviour {
  readonly at: Moment;
  /** Whether that message is still answered properly. */
  readonly answers: boolean;
  /**
   * close: ends the stream cleanly, the way that fails open by itself; route: names the upstream without a
   * verdict, then closes; error: a gRPC error; hang: says nothing any more; empty: an empty reply, then closes.
   */
  readonly way: 'close' | 'route' | 'error' | 'hang' | 'empty';
}

export interface Imposter {
  misbehave(misbehaviour: Misbehaviour | undefined): void;
  /** Bytes that it let out of the latest stream; a chunk of Envoy's may hold several events of the provider's. */
  emittedBytes(): number;
  stop(): void;
}

type Call = ServerDuplexStream<ProcessingRequest, ProcessingResponse>;

/** A sidecar that inspects nothing, answers as ours does, and misbehaves at one moment. */
export async function startImposter(
  socketPath: string,
  upstream: { readonly cluster: string; readonly authority: string },
): Promise<Imposter> {
  let misbehaviour: Misbehaviour | undefined;
  let emittedBytes = 0;
  const server = new Server();
  const { processor, health } = loadServices();
  server.addService(processor.service, {
    Process: (call: Call) => {
      emittedBytes = 0;
      play(call, upstream, {
        misbehaviour: () => misbehaviour,
        onEmitted: (bytes) => (emittedBytes = bytes),
      });
    },
  });
  server.addService(health.service, {
    Check: (_call: unknown, callback: (error: null, reply: object) => void) => {
      callback(null, { status: 1 });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
  return {
    misbehave(next) {
      misbehaviour = next;
    },
    emittedBytes: () => emittedBytes,
    stop: () => {
      server.forceShutdown();
    },
  };
}

function play(
  call: Call,
  upstream: { readonly cluster: string; readonly authority: string },
  director: {
    readonly misbehaviour: () => Misbehaviour | undefined;
    readonly onEmitted: (bytes: number) => void;
  },
): void {
  let chunks = 0;
  let emitted = 0;
  let streaming = false;
  let over = false;
  const routing: [string, string][] = [
    [':path', '/v1/x'],
    [':authority', upstream.authority],
    ['x-gateway-upstream', upstream.cluster],
  ];

  const reply = (message: ProcessingRequest): ProcessingResponse => {
    switch (message.request) {
      case 'request_headers':
        return message.request_headers?.end_of_stream === true
          ? forwardRequest('request_headers', { set: routing, remove: [] })
          : awaitRequestBody();
      case 'request_body':
        return forwardRequest('request_body', { set: routing, remove: [] });
      case 'response_headers': {
        const headers = message.response_headers?.headers?.headers ?? [];
        const type = headers.find(({ key }) => key === 'content-type')?.raw_value?.toString() ?? '';
        streaming = type.startsWith('text/event-stream');
        return streaming ? startStream({ set: [], remove: [] }) : awaitResponseBody();
      }
      default: {
        if (!streaming) return passWhole('response_body', { set: [], remove: [] });
        const body = message.response_body?.body ?? Buffer.alloc(0);
        emitted += body.length;
        director.onEmitted(emitted);
        return streamChunk(body, message.response_body?.end_of_stream ?? false, emitted);
      }
    }
  };

  call.on('data', (message: ProcessingRequest) => {
    if (over) return;
    const moment = streaming && message.request === 'response_body' ? `chunk ${++chunks}` : message.request;
    const plan = director.misbehaviour();
    if (plan === undefined || plan.at !== moment) {
      call.write(reply(message));
      return;
    }
    over = true;
    if (plan.answers) call.write(reply(message));
    if (plan.way === 'empty') call.write({});
    if (plan.way === 'route') {
      const phase = message.request === 'request_body' ? 'request_body' : 'request_headers';
      const { dynamic_metadata: _verdict, ...withoutVerdict } = forwardRequest(phase, {
        set: routing,
        remove: [],
      });
      call.write(withoutVerdict);
    }
    if (plan.way === 'error') call.emit('error', { code: status.INTERNAL, details: 'broken' });
    else if (plan.way !== 'hang') call.end();
  });
  call.on('end', () => {
    call.end();
  });
  call.on('error', () => undefined);
}
