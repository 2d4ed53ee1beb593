import { EventStreamCodec } from '@smithy/eventstream-codec';

/** A client's view of a stream: its two texts, and whether it ended in the gateway's error frame. */
export interface Reassembled {
  readonly texts: readonly [string, string];
  readonly cut: boolean;
}

export type Json = Record<string, unknown>;

/** An event of a stream as a client sees it. */
export interface Seen {
  readonly name: string;
  readonly json: Json;
}

export type Add = (of: unknown, text: unknown) => void;

export type Understand = (add: Add, event: Seen) => void;

/** Events that repeat an error, for clients that recognize it by these. */
const SAYS_CUT_AGAIN: ReadonlySet<unknown> = new Set(['error', 'response.failed', 'message-end']);

/** A chat's chunk with a finish reason, for clients that ignore an error. */
function isWithheld({ type, choices }: Seen['json']): boolean {
  return type === 'dlp_quarantine' && JSON.stringify(choices)?.includes('"content_filter"') === true;
}

/** As a client assembles it; throws if a frame is not JSON. */
export function reassemble(seen: readonly Seen[], understand: Understand): Reassembled {
  const texts: [string, string] = ['', ''];
  let cut = false;
  for (const event of seen) {
    if (cut && !SAYS_CUT_AGAIN.has(event.json['type']) && !isWithheld(event.json))
      throw new Error('something follows the cut');
    cut ||= event.json['type'] === 'dlp_quarantine';
    understand((of, text) => {
      const at = of === 1 ? 1 : 0;
      if (typeof text === 'string') texts[at] += text;
    }, event);
  }
  return { texts, cut };
}

export function readSse(understand: Understand): (bytes: Buffer) => Reassembled {
  return (bytes) => {
    const seen = bytes
      .toString()
      .split('\n\n')
      .flatMap((block): Seen[] => {
        const lines = block.split('\n');
        const data = lines.find((line) => line.startsWith('data: '))?.slice(6);
        if (data === undefined || data === '[DONE]') return [];
        const name = lines.find((line) => line.startsWith('event: '))?.slice(7) ?? '';
        return [{ name, json: JSON.parse(data) as Json }];
      });
    return reassemble(seen, understand);
  };
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

export function awsMessage(event: string, payload: Json): Buffer {
  const text = (value: string) => ({ type: 'string', value }) as const;
  return Buffer.from(
    codec.encode({
      headers: {
        ':event-type': text(event),
        ':content-type': text('application/json'),
        ':message-type': text('event'),
      },
      body: Buffer.from(JSON.stringify(payload)),
    }),
  );
}

export function awsEvents(bytes: Buffer): Seen[] {
  const seen: Seen[] = [];
  for (let from = 0; from < bytes.length;) {
    const length = bytes.readUInt32BE(from);
    const { headers, body } = codec.decode(bytes.subarray(from, from + length));
    const name = String((headers[':event-type'] ?? headers[':exception-type'])?.value);
    seen.push({ name, json: JSON.parse(Buffer.from(body).toString()) as Json });
    from += length;
  }
  return seen;
}

export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(object) : [];
}
