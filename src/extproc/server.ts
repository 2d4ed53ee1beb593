import { hash, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import type {
  RpcCall,
  CallListener,
  ListenAddress,
  ListenTls,
  StartTransport,
} from './transport/transport.ts';
import type { EdgeServices } from './services.ts';
import { serveStream } from './stream.ts';

/**
 * Time allowed for settling aborted streams. Must be shorter than the supervisor's wait for a worker to exit after a
 * drain.
 */
const SETTLE_WITHIN_MS = 3_000;
/**
 * Maximum number of open streams. Includes unsettled ones, because a peer may open and reset streams faster than they
 * settle.
 */
export const MAX_OPEN_STREAMS = 20_000;

export interface ExtProcServer {
  readonly openStreams: number;
  /** Applies to new connections. */
  renewTls(tls: ListenTls): void;
  /** Uses these services for new streams. Resolves when all streams of the previous services have ended. */
  use(services: EdgeServices): Promise<void>;
  /** Refuses new streams. Aborts and settles streams that are still running after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
}

export interface ExtProcOptions {
  readonly address: ListenAddress;
  readonly services: EdgeServices;
  readonly transport: TransportName;
  /** If set, callers must send it as metadata `x-gateway-token`. */
  readonly token?: string | undefined;
  readonly maxOpenStreams?: number;
}

export type TransportName = Config['server']['extproc']['transport'];

export async function startExtProcServer(options: ExtProcOptions): Promise<ExtProcServer> {
  const { address, token, maxOpenStreams = MAX_OPEN_STREAMS } = options;
  const isSharedToken = tokenCheck(token);
  let inForce = new Streams(options.services);
  let openStreams = 0;
  let draining = false;
  let onIdle: (() => void) | undefined;

  function accept(call: RpcCall, presented: string | undefined): CallListener | undefined {
    if (draining || openStreams >= maxOpenStreams || !isSharedToken(presented)) return undefined;
    openStreams++;
    const streams = inForce;
    streams.began();
    return serveStream(call, streams.services, () => {
      openStreams--;
      streams.ended();
      if (openStreams === 0) onIdle?.();
    });
  }

  const start = await loadTransport(options.transport);
  const transport = await start({
    address,
    accept,
    isServing: () => !draining,
    onFault: (cause) => inForce.services.observer.failed('', cause),
  });

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
    renewTls: (tls) => {
      transport.renewTls(tls);
    },
    use: (services) => {
      const before = inForce;
      inForce = new Streams(services);
      return before.whenEnded();
    },
    async drain(timeoutMs) {
      draining = true;
      await idleWithin(timeoutMs);
      transport.close();
      // Aborted streams must be settled before the caller disconnects Redis.
      await idleWithin(SETTLE_WITHIN_MS);
    },
  };
}

class Streams {
  readonly services: EdgeServices;
  #open = 0;
  #onEnded: (() => void) | undefined;

  constructor(services: EdgeServices) {
    this.services = services;
  }

  began(): void {
    this.#open += 1;
  }

  ended(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#onEnded?.();
  }

  /** Must be called only when no new stream can begin. */
  async whenEnded(): Promise<void> {
    if (this.#open === 0) return;
    await new Promise<void>((resolve) => (this.#onEnded = resolve));
  }
}

/** Loads only the transport in use, because grpc-js costs a worker tens of megabytes. */
export async function loadTransport(name: TransportName): Promise<StartTransport> {
  return name === 'lean'
    ? (await import('./transport/lean-transport.ts')).startLeanTransport
    : (await import('./transport/grpc-js-transport.ts')).startGrpcJsTransport;
}

/**
 * Compares digests in constant time, so that timing reveals neither the token nor its length. Without a token, every
 * stream is accepted.
 */
function tokenCheck(token: string | undefined): (presented: string | undefined) => boolean {
  if (token === undefined) return () => true;
  const own = digest(token);
  return (presented) => timingSafeEqual(own, digest(presented ?? ''));
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
