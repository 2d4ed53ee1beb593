import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onLoopback } from '../loopback.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An HTTP server for everything that a gateway sends besides answers: webhooks, spans, key set requests. */
export interface Listener {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** `127.0.0.1:<port>`. */
  readonly address: string;
  /** Everything received since the last call, once there is something or the time is over. */
  take(withinMs: number): Promise<readonly Received[]>;
}

/** Starts a listener that ends with the process. @param documents answered to GET, by path */
export async function startListener(documents: Readonly<Record<string, unknown>> = {}): Promise<Listener> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (request.method === 'GET') {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(documents[path] ?? {}));
      return;
    }
    void buffer(request).then((body) => {
      received.push({ path, headers: request.headers, body: body.toString() });
      response.end();
    });
  });
  const { url, addr: address } = await onLoopback(server);
  return {
    url,
    address,
    async take(withinMs) {
      const deadline = Date.now() + withinMs;
      while (received.length === 0 && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return received.splice(0);
    },
  };
}
