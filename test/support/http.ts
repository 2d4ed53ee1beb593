import { request as httpRequest, type Agent, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';

export interface SendOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  /** If absent, the body is sent with its content-length. */
  readonly chunked?: boolean;
  /** The headers are sent at once, the body when this is settled. */
  readonly bodyAfter?: Promise<unknown>;
  readonly trailers?: Readonly<Record<string, string>>;
  /** Disconnects. */
  readonly signal?: AbortSignal;
  /** Called with the body so far, as it arrives. */
  readonly onText?: (text: string) => void;
  readonly agent?: Agent;
  readonly ca?: string;
}

export interface Reply {
  /** 0 if the connection was cut before the headers. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** The connection was cut before the end of the answer. */
  readonly cut: boolean;
}

/** Sends one request exactly as given, unlike `fetch`, which normalizes paths and headers. */
export function send(baseUrl: string, options: SendOptions = {}): Promise<Reply> {
  const url = new URL(baseUrl);
  const headers: Record<string, string | string[]> = { ...options.headers };
  const { body } = options;
  if (body !== undefined && options.chunked !== true)
    headers['content-length'] = String(Buffer.byteLength(body));
  return new Promise((resolve) => {
    let cut = (): void => resolve({ status: 0, headers: {}, trailers: {}, body: '', cut: true });
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
      {
        host: url.hostname,
        port: url.port,
        method: options.method ?? (body === undefined ? 'GET' : 'POST'),
        path: options.path ?? '/',
        headers,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
        ...(options.agent === undefined ? {} : { agent: options.agent }),
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      },
      (response) => {
        let text = '';
        const done = (wasCut: boolean): void =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            trailers: response.trailers,
            body: text,
            cut: wasCut,
          });
        cut = () => done(true);
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          options.onText?.(text);
        });
        response.on('end', () => done(false));
        response.on('error', cut);
      },
    );
    request.on('error', () => cut());
    if (options.trailers !== undefined) request.addTrailers(options.trailers);
    if (options.bodyAfter === undefined) {
      request.end(body);
      return;
    }
    request.flushHeaders();
    void options.bodyAfter.then(() => request.end(body));
  });
}

/** Writes bytes to the listener unchanged, and collects its output until it closes or is silent. */
export function sendRaw(port: number, bytes: string | Buffer, silentMs = 1_000): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(silentMs, () => socket.destroy());
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}
