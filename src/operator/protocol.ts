import type { Config } from '../config/schema.ts';
import type { ListenerTls } from './listener.ts';

/** Messages from `gateway serve` to the page process. */
export type ToPage =
  /** First message; starts the page. */
  | {
      readonly kind: 'start';
      readonly config: Config;
      readonly tls: ListenerTls | undefined;
      readonly version: string;
    }
  /** Renewed certificates for new connections. */
  | { readonly kind: 'tls'; readonly tls: ListenerTls }
  /** Close all connections and exit with 0. */
  | { readonly kind: 'end' };

/** Messages from the page process to `gateway serve`. */
export type FromPage =
  | { readonly kind: 'listening'; readonly port: number }
  /** Heartbeat, sent every `HEARTBEAT_MS`. */
  | { readonly kind: 'alive' }
  /** The page cannot be served, and the process exits. The message contains no secret. */
  | { readonly kind: 'failed'; readonly message: string };
