import { createServer } from 'node:net';
import { onLoopback } from './loopback.ts';

/** A provider for requests with a Content-Length, or none, that answers each with exactly the given bytes. */
export interface WireProvider {
  readonly url: string;
  /** The answer to every later request; its connection stays open. */
  answer(wire: string): void;
  close(): Promise<void>;
}

export async function createWireProvider(): Promise<WireProvider> {
  let wire = '';
  const server = createServer((socket) => {
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let length = requestLength(received); length > 0; length = requestLength(received)) {
        received = received.slice(length);
        socket.write(wire);
      }
    });
  });
  const { url, close } = await onLoopback(server);
  return { url, close, answer: (next) => (wire = next) };
}

/** Characters of the first complete request; 0 if none is complete. */
function requestLength(received: string): number {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return 0;
  const body = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1];
  const length = headEnd + 4 + Number(body ?? 0);
  return received.length < length ? 0 : length;
}
