import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { loadServices, type ProcessingRequest, type ProcessingResponse } from '../../src/extproc/proto.ts';
import {
  awaitRequestBody,
  awaitResponseBody,
  forwardRequest,
  passWhole,
  startStream,
  streamChunk,
} from '../../src/extproc/respond.ts';

/**
 * The floor for any external processor on Node: the same four messages a request over the same stack, routed and
 * vouched for, and nothing looked at. Run as a process of its own: `noop.ts <socket> <authority>`.
 */
const [socketPath = '', authority = ''] = process.argv.slice(2);
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
  switch (message.request) {
    case 'request_headers':
      return awaitRequestBody();
    case 'request_body':
      return FORWARD;
    case 'response_headers': {
      const headers = message.response_headers?.headers?.headers ?? [];
      const type = headers.find(({ key }) => key === 'content-type')?.raw_value?.toString() ?? '';
      state.streaming = type.startsWith('text/event-stream');
      return state.streaming ? startStream(NOTHING) : awaitResponseBody();
    }
    default: {
      if (!state.streaming) return passWhole('response_body', NOTHING);
      const body = message.response_body?.body ?? Buffer.alloc(0);
      state.emitted += body.length;
      return streamChunk(body, message.response_body?.end_of_stream ?? false, state.emitted);
    }
  }
}

const server = new Server();
const { commonServerOptions } = server as unknown as { commonServerOptions: object };
Object.assign(commonServerOptions, { streamResetBurst: 1e9, streamResetRate: 1e9 });
const { processor, health } = loadServices();
server.addService(processor.service, {
  Process: (call: ServerDuplexStream<ProcessingRequest, ProcessingResponse>) => {
    const state = { streaming: false, emitted: 0 };
    call.on('data', (message: ProcessingRequest) => call.write(reply(message, state)));
    call.on('end', () => call.end());
    call.on('error', () => undefined);
  },
});
server.addService(health.service, {
  Check: (_call: unknown, callback: (error: null, reply: object) => void) => callback(null, { status: 1 }),
});
server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) => {
  if (error !== null) throw error;
  process.send?.('ready');
});
process.on('disconnect', () => process.exit(0));
