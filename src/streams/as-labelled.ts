import { GatewayError } from '../errors.ts';
import type { Frame, StreamFormat } from './frame.ts';

/**
 * A format for one answer, of which whatever is another kind of stream is refused. Clients read what they asked for,
 * whatever its Content-Type says: they would join texts that were each searched as a piece of something else.
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

/** The others cannot be read as anything else, or read it like what it is. */
const TESTS: Partial<Record<StreamFormat['name'], () => IsOther>> = {
  sse: jsonAmongEvents,
  ndjson: () => isEvent,
};

/** Part of an array, or more documents than the one in which some providers report an error. */
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

/** Lines of events end at CR too, which stands nowhere within JSON's strings. */
function isEvent({ data = '' }: Frame): boolean {
  return data.startsWith('data:') || data.includes('\rdata:');
}
