import {
  createServer as createHttp,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttps } from 'node:https';
import { onLoopback } from './loopback.ts';

/** A request as received. */
export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A bare server that records every request, byte for byte, and answers as scripted. */
export interface Recorder {
  /** Without a trailing slash. */
  readonly url: string;
  readonly requests: readonly Recorded[];
  /** Returns the last one. Fails without any. */
  last(): Recorded;
  close(): Promise<void>;
}

export type Answerer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Answers `{}` unless scripted; over TLS if an identity is given. */
export async function startRecorder(
  answer: Answerer = (_request, response) => response.end('{}'),
  tls?: { readonly cert: string; readonly key: string },
): Promise<Recorder> {
  const requests: Recorded[] = [];
  function handle(request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.once('end', () => {
      const { method = '', url: path = '', headers } = request;
      requests.push({ method, path, headers, body });
      answer(request, response, body);
    });
  }
  const server = tls === undefined ? createHttp(handle) : createHttps(tls, handle);
  const { url, close } = await onLoopback(server);
  return {
    url,
    requests,
    last: () => {
      const last = requests.at(-1);
      if (last === undefined) throw new Error('no request has come');
      return last;
    },
    close,
  };
}
