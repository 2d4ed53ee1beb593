import type { ProcessingRequest } from '../../src/extproc/wire/messages.ts';

/** The parts of a message that a fuzzer reads, in proto-loader's form. */
export interface EnvoyReply {
  readonly request_body?: BodyReply;
  readonly response_body?: BodyReply;
  readonly immediate_response?: unknown;
}

interface BodyReply {
  /** Of a request. */
  readonly body?: Buffer;
  /** Of a reply. */
  readonly response?: {
    readonly body_mutation?: {
      readonly body?: Buffer;
      readonly streamed_response?: { readonly body?: Buffer };
    };
  };
}

/** A message in proto-loader's form. */
export function toEnvoyMessage({ phase, headers, body, endOfStream, attributes }: ProcessingRequest): object {
  const fields = Object.fromEntries([...attributes].map(([name, value]) => [name, { stringValue: value }]));
  const list = headers.map(([key, value]) => ({ key, raw_value: Buffer.from(value, 'latin1') }));
  const isBody = phase === 'request_body' || phase === 'response_body';
  return {
    [phase ?? '']: isBody
      ? { body, end_of_stream: endOfStream }
      : { headers: { headers: list }, end_of_stream: endOfStream },
    attributes: { 'envoy.filters.http.ext_proc': { fields } },
  };
}
