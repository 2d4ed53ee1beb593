import type { CommonResponse, HeaderMutation, ProcessingResponse, GateVerdict } from './messages.ts';

/** A latin1 string, followed by a body that is too long to copy. Strings are joined without copying. */
export interface Encoded {
  readonly head: string;
  readonly tail: Buffer | undefined;
}

/** Bodies of at least this size stay buffers. */
const TAIL_BYTES = 4_096;
const NO_BODY = Buffer.alloc(0);
const NON_ASCII = /[^\x00-\x7f]/;

// Tags as bytes. `append_action` 2 is OVERWRITE_IF_EXISTS_OR_ADD.
const OVERWRITE = '\x18\x02';
const CLEAR_ROUTE_CACHE = '\x28\x01';
const END_OF_STREAM = '\x10\x01';

export function encodeResponse(reply: ProcessingResponse): Encoded {
  const first = verdict(reply.verdict) + modeOverride(reply);
  const { immediate_response: immediate } = reply;
  if (immediate !== undefined) {
    const { status, headers, details } = immediate;
    const { text, tail, size } = splitBody(immediate.body);
    const before =
      field('\x0a', `\x08${varint(status)}`) +
      field('\x12', encodedMutation(headers)) +
      field('\x2a', utf8(details));
    const inner = `${before}\x1a${varint(size)}${text}`;
    return { head: first + open('\x3a', inner, tail), tail };
  }
  if (reply.override_message_timeout_ms !== undefined)
    return { head: overrideTimeout(reply.override_message_timeout_ms), tail: undefined };
  if (reply.request_headers !== undefined) return phase(first, '\x0a', reply.request_headers.response);
  if (reply.response_headers !== undefined) return phase(first, '\x12', reply.response_headers.response);
  if (reply.request_body !== undefined) return phase(first, '\x1a', reply.request_body.response);
  if (reply.response_body !== undefined) return phase(first, '\x22', reply.response_body.response);
  if (reply.request_trailers !== undefined) return trailers(first, '\x2a', reply.request_trailers);
  if (reply.response_trailers !== undefined) return trailers(first, '\x32', reply.response_trailers);
  return { head: first, tail: undefined };
}

export function encodedBytes({ head, tail }: Encoded): Buffer {
  const bytes = Buffer.from(head, 'latin1');
  return tail === undefined ? bytes : Buffer.concat([bytes, tail]);
}

/** Encodes `HeadersResponse` or `BodyResponse`. The body is last, so that it can remain a buffer. */
function phase(first: string, tag: string, response: CommonResponse): Encoded {
  const { header_mutation: headers, body_mutation: bodies } = response;
  const before =
    (headers === undefined ? '' : field('\x12', encodedMutation(headers))) +
    (response.clear_route_cache === true ? CLEAR_ROUTE_CACHE : '');
  if (bodies === undefined) return { head: first + field(tag, field('\x0a', before)), tail: undefined };
  const { streamed_response: streamed, body = streamed?.body ?? NO_BODY } = bodies;
  const { text, tail, size } = splitBody(body);
  const whole = `\x0a${varint(size)}${text}`;
  const changed =
    streamed === undefined
      ? whole
      : open('\x1a', (streamed.end_of_stream ? END_OF_STREAM : '') + whole, tail);
  const common = before + open('\x1a', changed, tail);
  return { head: first + open(tag, open('\x0a', common, tail), tail), tail };
}

function trailers(
  first: string,
  tag: string,
  { header_mutation: headers }: { readonly header_mutation: HeaderMutation },
): Encoded {
  return { head: first + field(tag, field('\x0a', encodedMutation(headers))), tail: undefined };
}

function encodedMutation({ set_headers: set, remove_headers: remove }: HeaderMutation): string {
  let out = '';
  for (const [name, value] of set) {
    const header = field('\x0a', utf8(name)) + field('\x1a', utf8(value));
    out += field('\x0a', field('\x0a', header) + OVERWRITE);
  }
  for (const name of remove) out += field('\x12', utf8(name));
  return out;
}

function modeOverride({ mode_override: mode }: ProcessingResponse): string {
  if (mode === undefined) return '';
  const { response_header_mode: headers, request_body_mode: body, request_trailer_mode: trailers } = mode;
  return field(
    '\x4a',
    (headers === undefined ? '' : `\x10${varint(headers)}`) +
      (body === undefined ? '' : `\x18${varint(body)}`) +
      `\x20${varint(mode.response_body_mode)}` +
      (trailers === undefined ? '' : `\x28${varint(trailers)}`) +
      `\x30${varint(mode.response_trailer_mode)}`,
  );
}

// `override_message_timeout`: a `google.protobuf.Duration` in whole milliseconds.
function overrideTimeout(ms: number): string {
  const nanos = (ms % 1_000) * 1_000_000;
  const seconds = `\x08${varint(Math.floor(ms / 1_000))}`;
  return field('\x52', nanos === 0 ? seconds : `${seconds}\x10${varint(nanos)}`);
}

// `dynamic_metadata`: a `google.protobuf.Struct` `{gw: {…}}`.
function verdict(given: GateVerdict | undefined): string {
  if (given === undefined) return '';
  const { req, resp, out } = given;
  if (req === 'ok' && resp === undefined && out === undefined) return REQUEST_OK;
  if (req === undefined && resp === 'whole' && out === undefined) return RESPONSE_WHOLE;
  return metadata(given);
}

// Encoded once, because most requests use them.
const REQUEST_OK = metadata({ req: 'ok' });
const RESPONSE_WHOLE = metadata({ resp: 'whole' });

function metadata({ req, resp, out }: GateVerdict): string {
  const fields =
    (req === undefined ? '' : entry('req', field('\x1a', req))) +
    (resp === undefined ? '' : entry('resp', field('\x1a', resp))) +
    (out === undefined ? '' : entry('out', `\x11${double(out)}`));
  return field('\x42', entry('gw', field('\x2a', fields)));
}

// An entry of `Struct.fields`, and its `Value`.
function entry(name: string, value: string): string {
  return field('\x0a', field('\x0a', name) + field('\x12', value));
}

function splitBody(body: Buffer): { text: string; tail: Buffer | undefined; size: number } {
  const size = body.length;
  return size < TAIL_BYTES
    ? { text: body.toString('latin1'), tail: undefined, size }
    : { text: '', tail: body, size };
}

function field(tag: string, value: string): string {
  return tag + varint(value.length) + value;
}

/** Begins a field whose value continues in the tail, if there is one. */
function open(tag: string, value: string, tail: Buffer | undefined): string {
  return tag + varint(value.length + (tail?.length ?? 0)) + value;
}

function varint(value: number): string {
  let rest = value;
  let out = '';
  while (rest > 0x7f) {
    out += String.fromCharCode((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return out + String.fromCharCode(rest);
}

const DOUBLE = Buffer.alloc(8);

function double(value: number): string {
  DOUBLE.writeDoubleLE(value);
  return DOUBLE.toString('latin1');
}

function utf8(text: string): string {
  return NON_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text;
}
