import { GatewayError } from '../errors.ts';
import type { Frame, StreamFormat } from './frame.ts';

/** Refuses streams of a different kind: clients that ignore the Content-Type may join their texts. */
export function asLabelled(format: StreamFormat): StreamFormat {
  const isOther = TESTS[format.name]?.();
  if (isOther === undefined) return format;
  return {
    ...format,
    readable(frame) {
      if (!isOther(frame)) return format.readable(frame);
      throw new GatewayError(
        'upstream_unavailable',
        'the provider sent a different kind of stream from its Content-Type',
      );
    },
  };
}

type IsOther = (frame: Frame) => boolean;

/** The other formats are unmistakable, or all clients read them in the same way. */
const TESTS: Partial<Record<StreamFormat['name'], () => IsOther>> = {
  sse: jsonAmongEvents,
  ndjson: () => isEvent,
};

/** Detects an array, or several documents. Some providers report errors as a single document. */
function jsonAmongEvents(): IsOther {
  let documents = 0;
  return ({ sideband }) => {
    if (sideband === undefined) return false;
    for (const line of sideband.split('\n')) {
      const [first = ''] = line.trimStart();
      if (first === '[' || first === ',') return true;
      if (first === '{') documents += 1;
    }
    return documents > 1;
  };
}

/** Recognizes a line of an event. Lines also end at CR, which JSON strings cannot contain. */
function isEvent({ data = '' }: Frame): boolean {
  return data.startsWith('data:') || data.includes('\rdata:');
}
