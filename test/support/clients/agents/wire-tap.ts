import {
  createServer,
  request as send,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { onLoopback } from '../../loopback.ts';

/** One exchange as it passed the tap. */
export interface Tapped {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** 0 if no answer arrived. */
  readonly status: number;
  readonly answerHeaders: IncomingHttpHeaders;
  /** The client requested a WebSocket, or another protocol change. */
  readonly upgrade: boolean;
}

/** Records the traffic between a client and a gateway: requests, their number, and answers. */
export interface WireTap {
  readonly url: string;
  /** In the order of their answers. */
  readonly seen: Tapped[];
  close(): Promise<void>;
}

/** @param target the gateway's address, plain HTTP */
export async function startWireTap(target: string): Promise<WireTap> {
  const { hostname, port } = new URL(target);
  const seen: Tapped[] = [];
  function forward(incoming: IncomingMessage, upgrade: boolean) {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const outgoing = send({ host: hostname, port, method, path, headers });
    function note(status: number, answerHeaders: IncomingHttpHeaders): void {
      seen.push({ method, path, headers, status, answerHeaders, upgrade });
    }
    outgoing.once('response', (answer) => note(answer.statusCode ?? 0, answer.headers));
    return { outgoing, note };
  }
  const server = createServer((incoming, response) => {
    const { outgoing, note } = forward(incoming, false);
    outgoing.once('error', () => {
      note(0, {});
      response.destroy();
    });
    outgoing.once('response', (answer) => passOn(answer, response));
    incoming.pipe(outgoing);
    response.once('close', () => outgoing.destroy());
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex) => {
    const { outgoing } = forward(incoming, true);
    outgoing.once('error', () => socket.destroy());
    outgoing.once('response', (answer) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      const { statusCode = 0, statusMessage = '' } = answer;
      socket.write(
        `HTTP/1.1 ${String(statusCode)} ${statusMessage}\r\n${lines.join('')}connection: close\r\n\r\n`,
      );
      answer.pipe(socket);
    });
    outgoing.end();
  });
  const { url, close } = await onLoopback(server);
  return { url, seen, close };
}

function passOn(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
  // Forwards a cut by the gateway as a cut.
  answer.once('error', () => response.destroy());
}
