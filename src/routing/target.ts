import type { McpTarget } from '../mcp/message.ts';
import type { Endpoint } from '../providers/dialect.ts';
import type { McpUpstream, ProviderUpstream } from './upstreams.ts';

interface AnyTarget {
  readonly endpoint: Endpoint;
  /** The path for checks and policies: a provider's path without its base path, or `/mcp/<server>…`. */
  readonly path: string;
  /** As sent, including the `?`; may be empty. */
  readonly query: string;
  /** Larger bodies are refused with 413. */
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

export type Target = ProviderTarget | McpServerTarget;
