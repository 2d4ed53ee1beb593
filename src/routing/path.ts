import { GatewayError } from '../errors.ts';
import { MAX_DECODINGS } from '../text/decodings.ts';

/** Maximum number of segments, because each segment is checked. Provider paths have at most ten. */
const MAX_SEGMENTS = 256;

/** Captures a Bedrock model id or ARN (`/model/<id>/converse`), the only segment that may contain an encoded slash. */
const BEDROCK_MODEL = /^(?:\/bedrock)?\/model\/([^/]+)\/[a-z-]+$/;

/**
 * Refuses (invalid_request) paths that providers may read differently: with characters that must be percent-encoded,
 * encoded slashes, backslashes, control characters or dot segments, with invalid or excessive percent-encoding, or with
 * too many segments (docs/routing.md).
 */
export function assertPlainPath(path: string, mayHoldModelId: boolean): void {
  if (!/^[\x21-\x7e]*$/.test(path) || path.includes('#')) {
    throw new GatewayError('invalid_request', 'the path contains a character that must be percent-encoded');
  }
  if (path.split('/', MAX_SEGMENTS + 2).length > MAX_SEGMENTS + 1) {
    throw new GatewayError('invalid_request', `the path has more than ${MAX_SEGMENTS} segments: send fewer`);
  }
  const modelId = mayHoldModelId ? BEDROCK_MODEL.exec(path)?.[1] : undefined;
  for (const segment of path.split('/')) {
    const plain = fullyDecoded(segment);
    const judged = segment === modelId ? plain.replaceAll('/', ':') : plain;
    if (/[/\\\x00-\x1f\x7f]/.test(judged) || plain.split('/').some((part) => part === '.' || part === '..')) {
      throw new GatewayError(
        'invalid_request',
        'the path contains an encoded slash, backslash, control character or dot segment',
      );
    }
  }
}

function fullyDecoded(segment: string): string {
  let text = segment;
  for (let round = 0; round < MAX_DECODINGS; round++) {
    if (!text.includes('%')) return text;
    let next;
    try {
      next = decodeURIComponent(text);
    } catch (cause) {
      throw new GatewayError('invalid_request', 'the path has invalid percent-encoding: write % as %25', {
        cause,
      });
    }
    if (next === text) return text;
    text = next;
  }
  if (/%[0-9a-f]{2}/i.test(text)) {
    throw new GatewayError('invalid_request', 'the path is percent-encoded too many times: encode it once');
  }
  return text;
}
