import { chmodSync, rmSync } from 'node:fs';
import {
  experimental,
  Server,
  ServerCredentials,
  type handleBidiStreamingCall,
  type handleUnaryCall,
  type ServerDuplexStream,
} from '@grpc/grpc-js';
import {
  GRPC_STATUS,
  type RpcCall,
  type CallListener,
  healthReply,
  HEALTH_PATH,
  MAX_MESSAGE_BYTES,
  PROCESS_PATH,
  TOKEN_HEADER,
  type ListenAddress,
  type Transport,
  type TransportOptions,
  type ListenTls,
} from './transport.ts';
import { decodeRequest } from '../wire/decode-request.ts';
import { encodedBytes, encodeResponse } from '../wire/encode-response.ts';
import type { ProcessingRequest, ProcessingResponse } from '../wire/messages.ts';

type GrpcCall = ServerDuplexStream<ProcessingRequest, ProcessingResponse>;

export async function startGrpcJsTransport(options: TransportOptions): Promise<Transport> {
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_concurrent_streams': 0xffff_ffff,
  });
  liftResetGuard(server);
  const process: handleBidiStreamingCall<ProcessingRequest, ProcessingResponse> = (stream) => {
    serveGrpcCall(stream, options);
  };
  const check: handleUnaryCall<Buffer, string> = (_call, callback) => {
    callback(null, healthReply(options.isServing()));
  };
  server.addService(
    {
      Process: {
        path: PROCESS_PATH,
        requestStream: true,
        responseStream: true,
        requestDeserialize: (bytes: Buffer) => decodeRequest(bytes),
        requestSerialize: unused,
        responseSerialize: (reply: ProcessingResponse) => encodedBytes(encodeResponse(reply)),
        responseDeserialize: unused,
      },
    },
    { Process: process },
  );
  server.addService(
    {
      Check: {
        path: HEALTH_PATH,
        requestStream: false,
        responseStream: false,
        requestDeserialize: (bytes: Buffer) => bytes,
        requestSerialize: unused,
        responseSerialize: (reply: string) => Buffer.from(reply, 'latin1'),
        responseDeserialize: unused,
      },
    },
    { Check: check },
  );
  const { address } = options;
  const held =
    address.kind === 'tcp' && address.tls !== undefined ? new HeldCertificates(address.tls) : undefined;
  await bind(server, address, held);
  return {
    renewTls: (tls) => {
      held?.renew(tls);
    },
    close: () => {
      server.forceShutdown();
    },
  };
}

/** Required by grpc-js; only clients call it. */
function unused(): never {
  throw new Error('a gRPC server does not serialize requests or parse responses');
}

function serveGrpcCall(stream: GrpcCall, options: TransportOptions): void {
  const call = new GrpcJsCall(stream);
  const [token] = stream.metadata.get(TOKEN_HEADER);
  const listener = options.accept(call, typeof token === 'string' ? token : undefined);
  if (listener === undefined) call.fail(GRPC_STATUS.unavailable, 'not accepting new streams');
  else call.listen(listener);
}

class GrpcJsCall implements RpcCall {
  readonly #stream: GrpcCall;
  #waitsForDrain = false;
  #isOver = false;

  constructor(stream: GrpcCall) {
    this.#stream = stream;
  }

  listen(listener: CallListener): void {
    const close = (): void => {
      if (this.#isOver) return;
      this.#isOver = true;
      listener.closed();
    };
    this.#stream.on('data', (message) => {
      if (!this.#isOver) listener.message(message);
    });
    this.#stream.on('end', () => {
      if (!this.#isOver) listener.ended();
    });
    this.#stream.on('drain', () => {
      if (!this.#waitsForDrain) return;
      this.#waitsForDrain = false;
      listener.drained();
    });
    this.#stream.on('cancelled', close);
    this.#stream.on('error', close);
    this.#stream.on('finish', close);
  }

  write(reply: ProcessingResponse): boolean {
    if (this.#isOver) return true;
    const taken = this.#stream.write(reply);
    if (!taken) this.#waitsForDrain = true;
    return taken;
  }

  end(): void {
    this.#stream.end();
  }

  fail(code: number, details: string): void {
    if (!this.#isOver) this.#stream.emit('error', { code, details });
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    if (this.#stream.isPaused()) this.#stream.resume();
  }
}

/**
 * Lifts Node's rapid-reset guard. Envoy ends each ext_proc stream with RST_STREAM, which the guard takes for an attack,
 * so that about one request in a thousand would lose its connection (docs/architecture.md#failing-closed). The only
 * peer is our own Envoy. grpc-js has no option for this.
 * @throws Error if grpc-js no longer has `commonServerOptions`
 */
function liftResetGuard(server: Server): void {
  const options: unknown = (server as unknown as { commonServerOptions?: unknown }).commonServerOptions;
  if (typeof options !== 'object' || options === null) {
    throw new Error('this @grpc/grpc-js hides its http2 options; the rapid-reset guard cannot be lifted');
  }
  Object.assign(options, { streamResetBurst: 1_000_000_000, streamResetRate: 1_000_000_000 });
}

async function bind(
  server: Server,
  address: ListenAddress,
  held: HeldCertificates | undefined,
): Promise<void> {
  if (address.kind === 'unix') rmSync(address.path, { force: true });
  const target = address.kind === 'unix' ? `unix:${address.path}` : `${address.host}:${address.port}`;
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(target, credentials(held), (error) => (error === null ? resolve() : reject(error)));
  });
  if (address.kind === 'unix') chmodSync(address.path, 0o600);
}

function credentials(held: HeldCertificates | undefined): ServerCredentials {
  if (held === undefined) return ServerCredentials.createInsecure();
  return experimental.createCertificateProviderServerCredentials(held, held, true);
}

type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

/**
 * Notifies new listeners in a microtask, because grpc-js ignores updates until the call that adds the listener returns.
 */
class HeldCertificates implements experimental.CertificateProvider {
  #tls: ListenTls;
  readonly #caListeners = new Set<CaListener>();
  readonly #identityListeners = new Set<IdentityListener>();

  constructor(tls: ListenTls) {
    this.#tls = tls;
  }

  renew(tls: ListenTls): void {
    this.#tls = tls;
    for (const listener of this.#caListeners) listener(this.#ca());
    for (const listener of this.#identityListeners) listener(this.#identity());
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#caListeners.add(listener);
    queueMicrotask(() => listener(this.#ca()));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#caListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    queueMicrotask(() => listener(this.#identity()));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
  }

  #ca(): experimental.CaCertificateUpdate {
    return { caCertificate: Buffer.from(this.#tls.clientCa) };
  }

  #identity(): experimental.IdentityCertificateUpdate {
    return { certificate: Buffer.from(this.#tls.cert), privateKey: Buffer.from(this.#tls.key) };
  }
}
