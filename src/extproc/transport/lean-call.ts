import { CODE } from '../../http2/frame.ts';
import { encodeHeaders } from '../../http2/hpack-encoder.ts';
import type { Http2Stream, StreamEvents } from '../../http2/stream.ts';
import {
  GRPC_STATUS,
  type RpcCall,
  type CallListener,
  type FailStatus,
  MAX_MESSAGE_BYTES,
} from './transport.ts';
import { decodeRequest } from '../wire/decode-request.ts';
import { encodeResponse } from '../wire/encode-response.ts';
import { MessageReader, messagePrefix, type MessageEvents } from './grpc-messages.ts';
import type { ProcessingResponse } from '../wire/messages.ts';

const HEAD: readonly (readonly [string, string])[] = [
  [':status', '200'],
  ['content-type', 'application/grpc'],
];
export const RESPONSE_HEAD = encodeHeaders(HEAD);
export const STATUS_OK = encodeHeaders([['grpc-status', '0']]);

/**
 * Returns the trailers of a failure, or the whole response if nothing was sent ("Trailers-Only"). `details` is ASCII.
 */
export function failure(status: FailStatus, details: string, isFirst: boolean): string {
  return encodeHeaders([
    ...(isFirst ? HEAD : []),
    ['grpc-status', String(status)],
    ['grpc-message', details],
  ]);
}

const BROKEN = {
  compressed: [GRPC_STATUS.unimplemented, 'messages may not be compressed'],
  'too long': [GRPC_STATUS.resourceExhausted, 'a message is too long'],
  cut: [GRPC_STATUS.internal, 'the last message is cut'],
} as const;

export class LeanCall implements RpcCall, StreamEvents, MessageEvents {
  readonly #stream: Http2Stream;
  readonly #onFault: (cause: unknown) => void;
  readonly #reader = new MessageReader(MAX_MESSAGE_BYTES, this);
  #listener: CallListener | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #hasResponded = false;

  constructor(stream: Http2Stream, onFault: (cause: unknown) => void) {
    this.#stream = stream;
    this.#onFault = onFault;
  }

  listen(listener: CallListener, deadlineMs: number | undefined): void {
    this.#listener = listener;
    if (deadlineMs === undefined) return;
    this.#deadline = setTimeout(() => {
      this.fail(GRPC_STATUS.deadlineExceeded, 'the deadline has passed');
    }, deadlineMs);
  }

  write(reply: ProcessingResponse): boolean {
    const { head, tail } = encodeResponse(reply);
    if (!this.#hasResponded) {
      this.#hasResponded = true;
      this.#stream.respond(RESPONSE_HEAD);
    }
    const length = head.length + (tail?.length ?? 0);
    return this.#stream.send(messagePrefix(length) + head, tail);
  }

  end(): void {
    this.#stream.end(this.#hasResponded ? STATUS_OK : RESPONSE_HEAD + STATUS_OK);
  }

  fail(status: FailStatus, details: string): void {
    this.#stream.abort(failure(status, details, !this.#hasResponded), CODE.noError);
  }

  pause(): void {
    this.#reader.pause();
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
    this.#reader.resume();
  }

  // Events of the HTTP/2 stream.

  data(bytes: Buffer, from: number, to: number): void {
    this.#reader.push(bytes, from, to);
  }

  ended(): void {
    this.#reader.end();
  }

  drained(): void {
    this.#listener?.drained();
  }

  closed(): void {
    clearTimeout(this.#deadline);
    this.#reader.stop();
    this.#listener?.closed();
  }

  // Events of the message reader.

  message(bytes: Buffer, from: number, to: number): void {
    let request;
    try {
      request = decodeRequest(bytes, from, to);
    } catch (cause) {
      this.#onFault(cause);
      this.fail(GRPC_STATUS.internal, 'a message cannot be read');
      return;
    }
    this.#listener?.message(request);
  }

  finished(): void {
    this.#listener?.ended();
  }

  broken(why: keyof typeof BROKEN): void {
    const [status, details] = BROKEN[why];
    this.fail(status, details);
  }
}
