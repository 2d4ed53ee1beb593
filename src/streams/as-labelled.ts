import { GatewayError } from '../errors.ts';
import type { Frame, StreamFormat } from './frame.ts';

/**
 * Returns the format for one answer, extended to refuse any other kind of stream. Clients may ignore the
 * Content-Type and join texts that were inspected as pieces of something else.
 */
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

/** The other formats cannot be mistaken, or are read the same way by everyone. */
const TESTS: Partial<Record<StreamFormat['name'], () => IsOther>> = {
  sse: jsonAmongEvents,
  ndjson: () => isEvent,
};

/** Detects part of an array, or more documents than the one in which some providers report an error. */
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

/** Recognizes an event's line. Lines also end at CR, which cannot occur inside JSON strings. */
function isEvent({ data = '' }: Frame): boolean {
  return data.startsWith('data:') || data.includes('\rdata:');
}
