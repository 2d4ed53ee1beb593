import { assertParseable } from '../json/document-shape.ts';
import type { Frame, StreamFormat } from '../streams/frame.ts';

const MAY_BE_LENIENT = /NaN|Infinity/;
/** A string to its end, or a number that JSON does not have. */
const STRING_OR_NO_NUMBER = /"(?:[^"\\]+|\\[^]?)*"?|-?\bInfinity\b|\bNaN\b/g;

/**
 * The frame with `null` for `NaN` and `Infinity`: some servers write them, and some clients read them, in what is no
 * JSON to others. As it came where it is JSON without, or none even so.
 * @throws GatewayError upstream_unavailable where it would take too long to parse
 */
export function strictFrame(format: StreamFormat, frame: Frame): Frame {
  const { data } = frame;
  if (data === undefined || !MAY_BE_LENIENT.test(data)) return frame;
  const strict = data.replace(STRING_OR_NO_NUMBER, (found) => (found.startsWith('"') ? found : 'null'));
  if (strict === data || !isJson(strict)) return frame;
  return { ...frame, raw: format.withData(frame, strict), data: strict };
}

function isJson(text: string): boolean {
  assertParseable(text);
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
