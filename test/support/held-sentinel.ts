import { createServer, type Socket } from 'node:net';
import { onLoopback } from './loopback.ts';

/** A sentinel that answers and announces a failover on demand. */
export interface HeldSentinel {
  readonly addr: string;
  /** From now on, questions for the master wait. */
  hold(): void;
  /** Settles once such a question waits. */
  readonly asked: () => Promise<void>;
  /** Announces another master to subscribers. */
  announce(): void;
  /** Answers waiting and later questions. */
  release(): void;
  close(): Promise<void>;
}

/** @param master the address that it returns, `host` and `port` */
export async function startHeldSentinel(master: { host: string; port: number }): Promise<HeldSentinel> {
  const subscribers = new Set<Socket>();
  let waiting: (() => void)[] = [];
  let isHeld = false;
  let onAsked = (): void => undefined;
  const masterReply = bulk([master.host, String(master.port)]);

  function reply(socket: Socket, words: readonly string[]): void {
    const command = words.slice(0, 2).join(' ').toLowerCase();
    if (command.startsWith('subscribe')) {
      subscribers.add(socket);
      socket.write(`*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n`);
    } else if (command === 'sentinel get-master-addr-by-name') {
      const answer = (): void => void socket.write(masterReply);
      if (isHeld) {
        waiting.push(answer);
        onAsked();
      } else answer();
    } else if (command === 'sentinel sentinels') socket.write('*0\r\n');
    else socket.write('+OK\r\n');
  }

  const server = createServer((socket) => {
    socket.on('data', (bytes) => {
      for (const words of commandsIn(bytes.toString())) reply(socket, words);
    });
  });
  const { addr, close } = await onLoopback(server);
  return {
    addr,
    hold: () => (isHeld = true),
    asked: () => (waiting.length > 0 ? Promise.resolve() : new Promise((resolve) => (onAsked = resolve))),
    announce() {
      for (const socket of subscribers) socket.write(bulk(['message', '+switch-master', 'x']));
    },
    release() {
      isHeld = false;
      for (const answer of waiting) answer();
      waiting = [];
    },
    close,
  };
}

function bulk(words: readonly string[]): string {
  const written = words.map((word) => `$${String(Buffer.byteLength(word))}\r\n${word}\r\n`);
  return `*${String(words.length)}\r\n${written.join('')}`;
}

/** Complete protocol commands. */
function commandsIn(text: string): string[][] {
  return text
    .split(/(?=\*\d+\r\n\$)/)
    .map((command) => command.split('\r\n').filter((_, at) => at > 0 && at % 2 === 0))
    .filter((words) => words.length > 0);
}
