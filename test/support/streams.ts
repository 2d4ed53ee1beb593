import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';

import { send } from './http.ts';

/** One stream as its client saw it. */
export interface StreamSeen {
  readonly status: number;
  readonly text: string;
  /** Set if the stream ended properly, regardless of its content. */
  readonly whole: boolean;
}

export interface StreamRequest {
  readonly baseUrl: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly ca?: string;
}

/** Over HTTP/1.1, on its own connection. */
export async function streamHttp1({ baseUrl, ...request }: StreamRequest): Promise<StreamSeen> {
  const { status, body, cut } = await send(baseUrl, request);
  return { status, text: body, whole: !cut };
}

/** Over HTTP/2, beside others on the session; `onText` gets all text so far. */
export function streamHttp2(
  session: ClientHttp2Session,
  request: StreamRequest,
  onText: (text: string) => void = () => undefined,
): Promise<StreamSeen> {
  return new Promise((resolve) => {
    const stream = session.request({ ':method': 'POST', ':path': request.path, ...request.headers });
    let status = 0;
    let text = '';
    let ended = false;
    stream.setEncoding('utf8');
    stream.on('response', (headers) => (status = headers[':status'] ?? 0));
    stream.on('data', (chunk: string) => {
      text += chunk;
      onText(text);
    });
    stream.on('end', () => (ended = true));
    stream.on('error', () => undefined);
    stream.on('close', () => {
      resolve({ status, text, whole: ended && stream.rstCode === 0 });
    });
    stream.end(request.body);
  });
}

export function http2Session(baseUrl: string, ca?: string): ClientHttp2Session {
  const session = connectHttp2(baseUrl, ca === undefined ? {} : { ca });
  session.on('error', () => undefined);
  return session;
}
