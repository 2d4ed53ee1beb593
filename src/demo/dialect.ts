/** A request as a dialect of the demo provider sees it. */
export interface DemoRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The parsed body; empty where it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type DemoReply =
  | { readonly kind: 'whole'; readonly body: object }
  /** Server-sent events, ready to be written one after the other. */
  | { readonly kind: 'stream'; readonly events: readonly string[] };
