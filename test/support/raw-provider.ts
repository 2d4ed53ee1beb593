import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RawRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface RawReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** A provider that answers every request with exactly the given bytes. */
export interface RawProvider {
  readonly url: string;
  /** Received requests, oldest first. */
  readonly requests: readonly RawRequest[];
  /** @param before is awaited each time before it answers */
  answer(reply: RawReply, before?: () => Promise<void>): void;
  close(): Promise<void>;
}

export async function createRawProvider(): Promise<RawProvider> {
  const requests: RawRequest[] = [];
  let reply: RawReply = { body: '{}' };
  let prepare: (() => Promise<void>) | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      if (prepare === undefined) give(response);
      else void prepare().then(() => give(response));
    });
  });
  function give(response: ServerResponse): void {
    const bytes = Buffer.from(reply.body);
    response.writeHead(reply.status ?? 200, {
      'content-type': 'application/json',
      'content-length': bytes.length,
      ...reply.headers,
    });
    response.end(bytes);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer(next, before) {
      reply = next;
      prepare = before;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
