import type { RpcCall, CallListener } from '../../src/extproc/transport/transport.ts';
import type { ProcessingRequest, ProcessingResponse } from '../../src/extproc/wire/messages.ts';
import {
  awaitRequestBody,
  awaitResponseBody,
  forwardRequest,
  passWhole,
  startStream,
  streamChunk,
} from '../../src/extproc/reply/respond.ts';
import { loadTransport } from '../../src/extproc/server.ts';

/**
 * The minimum of any external processor on Node: the same four messages per request over the same stack, routed and
 * acknowledged, without inspection. Runs as its own process: `noop.ts <socket> <authority>
 * <transport>`.
 */
const [socketPath = '', authority = '', transport] = process.argv.slice(2);
const ROUTING: [string, string][] = [
  [':path', '/v1/chat/completions'],
  [':authority', authority],
  ['x-gateway-upstream', 'provider_openai'],
];
const NOTHING = { set: [], remove: [] };
const FORWARD = forwardRequest('request_body', { set: ROUTING, remove: [] });

function reply(
  message: ProcessingRequest,
  state: { streaming: boolean; emitted: number },
): ProcessingResponse {
  switch (message.phase) {
    case 'request_headers':
      return awaitRequestBody();
    case 'request_body':
      return FORWARD;
    case 'response_headers': {
      const [, type] = message.headers.find(([name]) => name === 'content-type') ?? [];
      state.streaming = type?.startsWith('text/event-stream') ?? false;
      return state.streaming ? startStream(NOTHING) : awaitResponseBody();
    }
    default: {
      if (!state.streaming) return passWhole('response_body', NOTHING);
      const { body, endOfStream } = message;
      state.emitted += body.length;
      return streamChunk(body, endOfStream, state.emitted);
    }
  }
}

function serve(call: RpcCall): CallListener {
  const state = { streaming: false, emitted: 0 };
  return {
    message: (message) => void call.write(reply(message, state)),
    ended: () => call.end(),
    drained: () => undefined,
    closed: () => undefined,
  };
}

const start = await loadTransport(transport === 'grpc-js' ? 'grpc-js' : 'lean');
await start({
  address: { kind: 'unix', path: socketPath },
  accept: serve,
  isServing: () => true,
  onFault(cause) {
    throw cause;
  },
});
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
