import { processingRequest, type PhaseName, type ProcessingRequest } from './messages.ts';
import { ProtobufReader, WIRE } from './protobuf-reader.ts';

/** Phases by field number of `ProcessingRequest`. */
const PHASES: readonly (PhaseName | undefined)[] = [
  undefined,
  undefined,
  'request_headers',
  'response_headers',
  'request_body',
  'response_body',
  'request_trailers',
  'response_trailers',
];
const ATTRIBUTES_FIELD = 9;
/** The filter name under which Envoy sends the attributes. */
const FILTER = 'envoy.filters.http.ext_proc';
/** Maximum number of headers in a message. Envoy's own default limit is 100. */
const MAX_HEADERS = 4_096;
const MAX_ATTRIBUTES = 256;

/**
 * Decodes the `ProcessingRequest` in `[from, to)`. Its body is a view of `bytes`; unknown fields are skipped.
 * @throws Error if the message is malformed, has too many headers or attributes, or has several phases
 */
export function decodeRequest(bytes: Buffer, from = 0, to = bytes.length): ProcessingRequest {
  const reader = new ProtobufReader(bytes, from, to);
  let request: ProcessingRequest | undefined;
  let attributes: Map<string, string> | undefined;
  while (reader.at < to) {
    const tag = reader.tag(to);
    const field = tag >>> 3;
    const phase = PHASES[field];
    if ((tag & 7) !== WIRE.bytes) reader.skip(tag, to);
    else if (phase !== undefined) {
      if (request !== undefined) throw new Error('an Envoy message has two phases');
      request = readPhase(reader, phase);
    } else if (field === ATTRIBUTES_FIELD) {
      attributes ??= new Map();
      readAttributes(reader, attributes);
    } else reader.skip(tag, to);
  }
  if (request === undefined) return processingRequest(undefined);
  return attributes === undefined ? request : { ...request, attributes };
}

function readPhase(reader: ProtobufReader, phase: PhaseName): ProcessingRequest {
  switch (phase) {
    case 'request_body':
    case 'response_body':
      return readBodyMessage(reader, phase);
    default:
      return readHeaders(reader, phase);
  }
}

// `HttpBody`.
function readBodyMessage(reader: ProtobufReader, phase: PhaseName): ProcessingRequest {
  const end = reader.until();
  let endOfStream = false;
  let body: Buffer | undefined;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) body = reader.bytes(end);
    else if (tag === 0x10) endOfStream = reader.varint(end) !== 0;
    else reader.skip(tag, end);
  }
  return processingRequest(phase, body === undefined ? { endOfStream } : { body, endOfStream });
}

// `HttpHeaders` or `HttpTrailers`, which share their first field.
function readHeaders(reader: ProtobufReader, phase: PhaseName): ProcessingRequest {
  const end = reader.until();
  const headers: (readonly [string, string])[] = [];
  let endOfStream = false;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) readHeaderMap(reader, headers, end);
    else if (tag === 0x18) endOfStream = reader.varint(end) !== 0;
    else reader.skip(tag, end);
  }
  return processingRequest(phase, { headers, endOfStream });
}

function readHeaderMap(
  reader: ProtobufReader,
  headers: (readonly [string, string])[],
  parentEnd: number,
): void {
  const end = reader.until(parentEnd);
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag !== 0x0a) reader.skip(tag, end);
    else if (headers.length === MAX_HEADERS) throw new Error('an Envoy message has too many headers');
    else headers.push(readHeader(reader, end));
  }
}

// `HeaderValue`: Envoy fills `raw_value`, older versions `value`.
function readHeader(reader: ProtobufReader, parentEnd: number): readonly [string, string] {
  const end = reader.until(parentEnd);
  let key = '';
  let value = '';
  let raw = '';
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) key = reader.utf8(end);
    else if (tag === 0x12) value = reader.utf8(end);
    else if (tag === 0x1a) raw = reader.latin1(end);
    else reader.skip(tag, end);
  }
  return [key, raw === '' ? value : raw];
}

// One entry of `map<string, google.protobuf.Struct>`.
function readAttributes(reader: ProtobufReader, attributes: Map<string, string>): void {
  const end = reader.until();
  let isOurs = false;
  const found: [string, string][] = [];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) isOurs = reader.utf8(end) === FILTER;
    else if (tag === 0x12) readStruct(reader, found, end);
    else reader.skip(tag, end);
  }
  if (isOurs) for (const [name, value] of found) attributes.set(name, value);
}

function readStruct(reader: ProtobufReader, found: [string, string][], parentEnd: number): void {
  const end = reader.until(parentEnd);
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) readStructField(reader, found, end);
    else reader.skip(tag, end);
  }
}

function readStructField(reader: ProtobufReader, found: [string, string][], parentEnd: number): void {
  const end = reader.until(parentEnd);
  let name = '';
  let text: string | undefined;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) name = reader.utf8(end);
    else if (tag === 0x12) text = readStringField(reader, end);
    else reader.skip(tag, end);
  }
  if (text === undefined) return;
  if (found.length === MAX_ATTRIBUTES) throw new Error('an Envoy message has too many attributes');
  found.push([name, text]);
}

// Decodes a `google.protobuf.Value` if it is a string. As in every oneof, the last kind wins.
function readStringField(reader: ProtobufReader, parentEnd: number): string | undefined {
  const end = reader.until(parentEnd);
  let text: string | undefined;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x1a) text = reader.utf8(end);
    else {
      text = undefined;
      reader.skip(tag, end);
    }
  }
  return text;
}
