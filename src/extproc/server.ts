import { hash, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import type { RpcCall, CallListener } from './transport/call.ts';
import type { EdgeServices } from './services.ts';
import { serveStream } from './stream.ts';
import type { ListenAddress, StartTransport } from './transport/transport.ts';

/** Shorter than the supervisor waits for a worker beyond its drain. */
const SETTLE_WITHIN_MS = 3_000;
/**
 * Streams that are open or not settled yet. A peer that opens and resets streams faster than they can be settled is
 * refused here, whatever its transport lets it do.
 */
export const MAX_OPEN_STREAMS = 20_000;

export interface ExtProcServer {
  /** Streams that are open now. */
  readonly openStreams: number;
  /** Refuses new streams, waits for those it has (at most `timeoutMs`), then cuts and settles them. Never a clean early end. */
  drain(timeoutMs: number): Promise<void>;
}

export interface ExtProcOptions {
  readonly address: ListenAddress;
  readonly services: EdgeServices;
  readonly transport: TransportName;
  /** Required in the metadata `x-gateway-token` where set. */
  readonly token?: string | undefined;
  readonly maxOpenStreams?: number;
}

export type TransportName = Config['server']['extproc']['transport'];

/** Starts the external processor and the health service that Envoy asks. */
export async function startExtProcServer(options: ExtProcOptions): Promise<ExtProcServer> {
  const { address, services, token, maxOpenStreams = MAX_OPEN_STREAMS } = options;
  const isSharedToken = tokenCheck(token);
  let openStreams = 0;
  let draining = false;
  let onIdle: (() => void) | undefined;

  function accept(call: RpcCall, shown: string | undefined): CallListener | undefined {
    if (draining || openStreams >= maxOpenStreams || !isSharedToken(shown)) return undefined;
    openStreams++;
    return serveStream(call, services, () => {
      openStreams--;
      if (openStreams === 0) onIdle?.();
    });
  }

  const start = await loadTransport(options.transport);
  const transport = await start({
    address,
    accept,
    isServing: () => !draining,
    onFault: (cause) => services.observer.failed('', cause),
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
    async drain(timeoutMs) {
      draining = true;
      await idleWithin(timeoutMs);
      transport.close();
      // What was cut off is given back and settled too, before the caller lets Redis go.
      await idleWithin(SETTLE_WITHIN_MS);
    },
  };
}

/** Only the one that is used: grpc-js alone costs a worker tens of megabytes. */
export async function loadTransport(name: TransportName): Promise<StartTransport> {
  return name === 'lean'
    ? (await import('./transport/lean-transport.ts')).startLeanTransport
    : (await import('./transport/grpc-js-transport.ts')).startGrpcJsTransport;
}

/** Compares digests in constant time, so that neither the token nor its length shows in how long a refusal takes. */
function tokenCheck(token: string | undefined): (shown: string | undefined) => boolean {
  if (token === undefined) return () => true;
  const own = digest(token);
  return (shown) => timingSafeEqual(own, digest(shown ?? ''));
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
