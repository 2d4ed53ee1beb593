import { CODE, ConnectionError, FLAG, unpadded, type Http2Frame } from './frame.ts';
import { LIMITS } from './limits.ts';

const PRIORITY_BYTES = 5;

export interface HeaderBlock {
  readonly streamId: number;
  readonly isEnd: boolean;
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

interface Begun {
  readonly streamId: number;
  readonly isEnd: boolean;
  readonly parts: Buffer[];
  size: number;
}

/** Joins a HEADERS frame and its CONTINUATION frames (RFC 9113 section 6.10). */
export class HeaderBlocks {
  #begun: Begun | undefined;

  /** @throws ConnectionError unless the frames of each block are consecutive */
  assertNext(isContinuation: boolean, streamId: number): void {
    const isExpected = isContinuation === (this.#begun !== undefined);
    if (isExpected && (!isContinuation || streamId === this.#begun?.streamId)) return;
    throw new ConnectionError(CODE.protocolError, 'a header block is interrupted by another frame');
  }

  /** Returns undefined while the block is incomplete. Throws ConnectionError. */
  begin(frame: Http2Frame): HeaderBlock | undefined {
    const { flags, streamId, bytes } = frame;
    const { from, to } = unpadded(frame, (flags & FLAG.priority) === 0 ? 0 : PRIORITY_BYTES);
    const isEnd = (flags & FLAG.endStream) !== 0;
    if ((flags & FLAG.endHeaders) !== 0) return { streamId, isEnd, bytes, from, to };
    this.#begun = { streamId, isEnd, parts: [Buffer.from(bytes.subarray(from, to))], size: to - from };
    return undefined;
  }

  /** Returns undefined while the block is incomplete. Throws ConnectionError. */
  continue({ flags, bytes, from, to }: Http2Frame): HeaderBlock | undefined {
    const begun = this.#begun;
    if (begun === undefined) throw new ConnectionError(CODE.protocolError, 'no header block has begun');
    begun.parts.push(Buffer.from(bytes.subarray(from, to)));
    begun.size += to - from;
    if (begun.size > LIMITS.headerListBytes || begun.parts.length > LIMITS.continuations) {
      throw new ConnectionError(CODE.enhanceYourCalm, 'a header block is too long');
    }
    if ((flags & FLAG.endHeaders) === 0) return undefined;
    this.#begun = undefined;
    const { streamId, isEnd, parts, size } = begun;
    return { streamId, isEnd, bytes: Buffer.concat(parts), from: 0, to: size };
  }
}
