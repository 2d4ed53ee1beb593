import type { Operation, Usage } from '../../src/providers/dialect.ts';
import type { JsonObject } from '../../src/json/is-object.ts';
import type { ProviderName } from '../../src/providers/registry.ts';
import type { StreamFormat } from '../../src/streams/frame.ts';

/** A picture in a request. */
export const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

/**
 * One endpoint of one provider, as run by the conformance test. Every string of `body` that begins with `§` must
 * be found as text, at its own path, and no other marked string may be missed.
 */
export interface ConformanceRow {
  readonly provider: ProviderName;
  readonly path: string;
  readonly query?: string;
  readonly operation: Operation;
  readonly body: JsonObject;
  readonly model: string;
  readonly limit?: number;
  /** The endpoint's own limit if the client sets none. */
  readonly defaultLimit?: number;
  readonly tools?: readonly string[];
  readonly hostedTools?: readonly string[];
  /** A stream reports its usage only on request. */
  readonly asksUsage?: boolean;
  readonly answer: unknown;
  readonly usage: Usage;
  readonly texts?: readonly string[];
  readonly stream?: ConformanceStream;
}

export interface ConformanceStream {
  readonly format: StreamFormat;
  readonly bytes: Buffer;
  readonly usage: Usage;
  /** The text of each channel, without repeats. */
  readonly texts: Readonly<Record<string, string>>;
}

/** An SSE stream of these payloads; strings are sent unchanged. */
export function sseBytes(...payloads: unknown[]): Buffer {
  const lines = payloads.map((data) => (typeof data === 'string' ? data : JSON.stringify(data)));
  return Buffer.from(lines.map((line) => `data: ${line}\n\n`).join(''));
}
