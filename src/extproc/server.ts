import { chmodSync, rmSync } from 'node:fs';
import {
  Server,
  ServerCredentials,
  status as GrpcStatus,
  type handleUnaryCall,
  type ServerCredentials as Credentials,
} from '@grpc/grpc-js';
import type { EdgeServices } from './context.ts';
import { loadServices } from './proto.ts';
import { serveStream, type Call } from './stream.ts';

/** Above Envoy's 16 MiB buffer, so that no message Envoy can send is refused by gRPC. */
const MAX_MESSAGE_BYTES = 33_554_432;
/** Shorter than the supervisor waits for a worker beyond its drain. */
const SETTLE_WITHIN_MS = 3_000;
/** grpc.health.v1 `ServingStatus`. */
const SERVING = 1;
const NOT_SERVING = 2;

/** Where a worker listens: a private unix socket, or TCP with mTLS, or TCP on loopback with a token. */
export type ListenAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly tls?: ListenTls };

export interface ListenTls {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Authority of the client certificates that are let in; always required. */
  readonly clientCa: Buffer;
}

export interface ExtProcServer {
  /** Streams that are open now. */
  readonly openStreams: number;
  /** Refuses new streams, waits for those it has (at most `timeoutMs`), then cuts and settles them. Never a clean early end. */
  drain(timeoutMs: number): Promise<void>;
}

export interface ExtProcOptions {
  readonly address: ListenAddress;
  readonly services: EdgeServices;
  /** Required in the metadata `x-gateway-token` where set. */
  readonly token?: string | undefined;
}

/** Starts the external processor and the health service that Envoy asks. */
export async function startExtProcServer(options: ExtProcOptions): Promise<ExtProcServer> {
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_concurrent_streams': 0xffff_ffff,
  });
  liftResetGuard(server);
  let openStreams = 0;
  let draining = false;
  let onIdle: (() => void) | undefined;

  const { processor, health } = loadServices();
  server.addService(processor.service, {
    Process(call: Call) {
      if (draining || !hasToken(call, options.token)) {
        call.emit('error', { code: GrpcStatus.UNAVAILABLE, details: 'not taking new streams' });
        return;
      }
      openStreams++;
      serveStream(call, options.services, () => {
        openStreams--;
        if (openStreams === 0) onIdle?.();
      });
    },
  });
  const check: handleUnaryCall<unknown, { status: number }> = (_call, callback) => {
    callback(null, { status: draining ? NOT_SERVING : SERVING });
  };
  server.addService(health.service, { Check: check });
  await bind(server, options.address);

  async function idleWithin(timeoutMs: number): Promise<void> {
    if (openStreams === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    get openStreams() {
      return openStreams;
    },
    async drain(timeoutMs) {
      draining = true;
      await idleWithin(timeoutMs);
      server.forceShutdown();
      // What was cut off is given back and settled too, before the caller lets Redis go.
      await idleWithin(SETTLE_WITHIN_MS);
    },
  };
}

/**
 * Envoy ends each ext_proc stream with RST_STREAM, which Node's rapid-reset guard counts as an attack: about
 * every thousandth request would lose its connection (trap 1). The peer is our own Envoy on a private socket.
 * grpc-js has no option for it, so its http2 options are set directly, and loudly if they are gone.
 */
function liftResetGuard(server: Server): void {
  const options: unknown = (server as unknown as { commonServerOptions?: unknown }).commonServerOptions;
  if (typeof options !== 'object' || options === null) {
    throw new Error('this @grpc/grpc-js hides its http2 options; the rapid-reset guard cannot be lifted');
  }
  Object.assign(options, { streamResetBurst: 1_000_000_000, streamResetRate: 1_000_000_000 });
}

function hasToken(call: Call, token: string | undefined): boolean {
  return token === undefined || call.metadata.get('x-gateway-token')[0] === token;
}

async function bind(server: Server, address: ListenAddress): Promise<void> {
  if (address.kind === 'unix') rmSync(address.path, { force: true });
  const target = address.kind === 'unix' ? `unix:${address.path}` : `${address.host}:${address.port}`;
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(target, credentials(address), (error) => (error === null ? resolve() : reject(error)));
  });
  if (address.kind === 'unix') chmodSync(address.path, 0o600);
}

function credentials(address: ListenAddress): Credentials {
  if (address.kind === 'unix' || address.tls === undefined) return ServerCredentials.createInsecure();
  const { cert, key, clientCa } = address.tls;
  return ServerCredentials.createSsl(clientCa, [{ private_key: key, cert_chain: cert }], true);
}
