import type { BudgetLimits } from '../../../src/budget-windows.ts';
import { randomUUID } from 'node:crypto';
import type { EdgeServices } from '../../../src/extproc/services.ts';
import { serveStream } from '../../../src/extproc/stream.ts';
import type { CallListener, RpcCall } from '../../../src/extproc/transport/transport.ts';
import {
  FULL_DUPLEX_STREAMED,
  processingRequest,
  type HeaderList,
  type ProcessingRequest,
  type ProcessingResponse,
} from '../../../src/extproc/wire/messages.ts';

/** One exchange with the gateway: a client's request, and its upstream's answer. */
export interface SweptExchange {
  /** The client's path, starting with the provider or `/mcp/<server>`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Absent if only the request is tested. */
  readonly answer?: SweptAnswer;
  /** Of the key. */
  readonly limits?: BudgetLimits;
}

export interface SweptAnswer {
  readonly status?: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** In pieces of this many bytes, as streamed; whole if absent. */
  readonly chunkBytes?: number;
  /** The body in other pieces, if streamed. */
  readonly chunks?: readonly Buffer[];
}

export const PROXY_KEY = `gw-${'a'.repeat(43)}`;
const ATTRIBUTES = new Map([
  ['response.code_details', 'via_upstream'],
  ['source.address', '127.0.0.1:1'],
]);

/** Envoy's messages of an exchange, in order; each gets the reply to the previous one. */
export function* messagesOf({
  path,
  headers = {},
  body,
  answer,
}: SweptExchange): Generator<ProcessingRequest, void, ProcessingResponse | undefined> {
  yield processingRequest('request_headers', {
    headers: headersOf({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/json',
      'x-request-id': randomUUID(),
      authorization: `Bearer ${PROXY_KEY}`,
      'x-gateway-provider-key': 'sk-sweep',
      'x-gateway-session-id': randomUUID(),
      ...headers,
    }),
    attributes: ATTRIBUTES,
  });
  yield processingRequest('request_body', { body, endOfStream: true });
  if (answer === undefined) return;
  const begun = yield processingRequest('response_headers', {
    headers: headersOf({
      ':status': String(answer.status ?? 200),
      'content-type': answer.contentType,
      ...answer.headers,
    }),
    attributes: ATTRIBUTES,
  });
  const isStream = begun?.mode_override?.response_body_mode === FULL_DUPLEX_STREAMED;
  const chunks = isStream ? (answer.chunks ?? chunksOf(answer)) : [answer.body];
  for (const [at, chunk] of chunks.entries())
    yield processingRequest('response_body', { body: chunk, endOfStream: at === chunks.length - 1 });
}

function chunksOf({ body, chunkBytes = body.length }: SweptAnswer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let from = 0; from < body.length; from += chunkBytes)
    chunks.push(body.subarray(from, from + chunkBytes));
  return chunks;
}

function headersOf(headers: Readonly<Record<string, string>>): HeaderList {
  return Object.entries(headers);
}

/** Sends the messages one after another, each once the previous one was answered, as Envoy does. */
export async function served(
  services: EdgeServices,
  messages: ReturnType<typeof messagesOf>,
): Promise<{ readonly end: string; readonly replies: readonly ProcessingResponse[] }> {
  const call = new QuietCall();
  const closed = new Promise<void>((resolve) => {
    call.listener = serveStream(call, services, resolve);
  });
  let end = 'passed';
  for (let step = messages.next(); step.done !== true && end === 'passed';) {
    const reply = await call.ask(step.value);
    if (reply === undefined) end = 'failed closed';
    else if (reply.immediate_response !== undefined) {
      const error = /"type":"(\w+)"/.exec(reply.immediate_response.body.toString())?.[1] ?? '';
      end = `${String(reply.immediate_response.status)} ${error}`;
    }
    step = messages.next(reply);
  }
  call.listener?.ended();
  await closed;
  return { end, replies: call.replies };
}

/** Acts as a gRPC call that accepts everything at once. */
class QuietCall implements RpcCall {
  listener: CallListener | undefined;
  readonly replies: ProcessingResponse[] = [];
  #answered: (reply: ProcessingResponse | undefined) => void = () => undefined;

  /** Undefined if it failed closed. */
  ask(message: ProcessingRequest): Promise<ProcessingResponse | undefined> {
    return new Promise((resolve) => {
      this.#answered = resolve;
      setImmediate(() => this.listener?.message(message));
    });
  }

  write(reply: ProcessingResponse): boolean {
    this.replies.push(reply);
    this.#answered(reply);
    return true;
  }

  fail(): void {
    this.#answered(undefined);
    this.listener?.closed();
  }

  pause(): void {
    // Unrequested messages must not arrive.
  }

  resume(): void {
    // Nothing was held.
  }

  end(): void {
    // The reader is gone.
  }
}
