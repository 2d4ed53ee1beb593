import { GatewayError } from '../errors.ts';
import type { Frame, StreamFormat } from './frame.ts';

/** Refuses streams of another kind, whose texts clients may join if they ignore the Content-Type. */
export function asLabelled(format: StreamFormat): StreamFormat {
  const isOther = TESTS[format.name]?.();
  if (isOther === undefined) return format;
  return {
    ...format,
    readable(frame) {
      if (!isOther(frame)) return format.readable(frame);
      throw new GatewayError(
        'upstream_unavailable',
        'the provider sent another kind of stream than its Content-Type says',
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

/** Detects an array, or more than one document; some providers report errors as one. */
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

/** Recognizes an event's line. Lines also end at CR, which JSON strings cannot contain. */
function isEvent({ data = '' }: Frame): boolean {
  return data.startsWith('data:') || data.includes('\rdata:');
}
