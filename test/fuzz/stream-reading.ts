import type { StreamFormat } from '../../src/streams/frame.ts';

/** The texts that a lenient client joins: those at the same place of events with the same numbers, as a JSON list. */
export function joinedTexts(bytes: Buffer, format: StreamFormat['name']): Buffer {
  const joined = new Map<string, string>();
  for (const event of eventsOf(bytes, format)) {
    const numbers = numbersIn(event).join();
    for (const [path, text] of textsIn(event, '')) {
      const key = `${path} ${numbers}`;
      joined.set(key, (joined.get(key) ?? '') + text);
    }
  }
  return Buffer.from(JSON.stringify([...joined.values()]));
}

function eventsOf(bytes: Buffer, format: StreamFormat['name']): unknown[] {
  const text = bytes.toString();
  switch (format) {
    case 'sse':
      return text.split(/\r\n\r\n|\n\n|\r\r/).flatMap((block) => parsed(dataOf(block)));
    case 'ndjson':
      return text.split('\n').flatMap(parsed);
    case 'json-array':
      return parsed(text).flat();
    case 'aws-event-stream':
      // Between its headers and checksums each message has one document.
      return [...text.matchAll(/\{[^\u0000]*\}/g)].flatMap(([document]) => parsed(document));
  }
}

function dataOf(block: string): string {
  const lines = block.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice(line[5] === ' ' ? 6 : 5)).join('\n');
}

function parsed(json: string): unknown[] {
  try {
    return [JSON.parse(json) as unknown];
  } catch {
    return [];
  }
}

function* textsIn(value: unknown, path: string): Generator<readonly [string, string]> {
  if (typeof value === 'string') yield [path, value];
  else if (typeof value === 'object' && value !== null)
    for (const [name, below] of Object.entries(value)) yield* textsIn(below, `${path}/${name}`);
}

/** Indexes, and other members that tell a client where a piece belongs. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}
