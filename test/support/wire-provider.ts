import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A provider for requests with a Content-Length, or none, that answers each with exactly the given bytes. */
export interface WireProvider {
  readonly url: string;
  /** The answer to every later request; its connection stays open. */
  answer(wire: string): void;
  close(): Promise<void>;
}

export async function createWireProvider(): Promise<WireProvider> {
  const sockets = new Set<Socket>();
  let wire = '';
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let length = requestLength(received); length > 0; length = requestLength(received)) {
        received = received.slice(length);
        socket.write(wire);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    answer: (next) => (wire = next),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Characters of the first complete request; 0 if none is complete. */
function requestLength(received: string): number {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return 0;
  const body = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1];
  const length = headEnd + 4 + Number(body ?? 0);
  return received.length < length ? 0 : length;
}
