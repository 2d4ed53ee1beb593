import type { McpTarget } from '../mcp/message.ts';
import type { Endpoint } from '../providers/provider.ts';
import type { McpUpstream, ProviderUpstream } from './upstreams.ts';

interface AnyTarget {
  readonly endpoint: Endpoint;
  /** As logic and policies see it: a provider's own path without its base path, or `/mcp/<server>…`. */
  readonly path: string;
  /** As it will be sent, with its `?`; empty where there is none. */
  readonly query: string;
  /** Bodies over it are refused with 413. */
  readonly maxRequestBytes: number;
}

export interface ProviderTarget extends AnyTarget {
  readonly kind: 'provider';
  readonly upstream: ProviderUpstream;
}

export interface McpServerTarget extends AnyTarget {
  readonly kind: 'mcp';
  readonly upstream: McpUpstream;
  readonly mcp: McpTarget;
}

/** Where a request wants to go, once its path is judged. */
export type Target = ProviderTarget | McpServerTarget;
