import { connect, createServer, type Socket } from 'node:net';
import { onLoopback } from './loopback.ts';

/** A fault of one command on its way to Redis, or of its reply. */
export type LinkFault =
  /** The connection breaks instead of the command. */
  | 'lose command'
  /** Redis runs it, and the connection breaks instead of the reply. */
  | 'lose reply'
  /** The reply is not RESP. */
  | 'garbage'
  /** The reply is RESP, and of a type that no command of ours returns. */
  | 'wrong shape'
  | 'error'
  /** Redis runs it, and this connection returns nothing more. */
  | 'silence'
  /** The connection breaks instead of the command, and new ones fail until `heal`. */
  | 'go away';

/** A connection between the gateway and its Redis that a test can break, at a chosen command too. */
export interface RedisLink {
  /** `host:port`, as in `redis.addr`. */
  readonly addr: string;
  /** Breaks the `n`-th command from now (1 is the next one), over all connections; once. */
  breakAt(n: number, fault: LinkFault): void;
  /** Closes every connection, and new ones at once. */
  cut(): void;
  /**
   * Makes replies very slow on every connection that is open now or opened before `heal`. Those stay slow
   * afterwards, like a connection that loses packets.
   */
  drip(bytesPerSecond: number): void;
  /** Stops reading from either side: sent data waits until `heal`. */
  hang(): void;
  /** Connections opened so far. */
  connections(): number;
  heal(): void;
  close(): Promise<void>;
}

export interface RedisLinkOptions {
  /** Replaces text in replies; of the same length, or the framing breaks. */
  readonly rewrite?: readonly [from: string, to: string];
}

export async function linkToRedis(port: number, options: RedisLinkOptions = {}): Promise<RedisLink> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isHung = false;
  let dripsPerSecond: number | undefined;
  let connections = 0;
  const replies = new Set<ReplyWriter>();
  let commands = 0;
  let plan: { readonly at: number; readonly fault: LinkFault } | undefined;
  function cut(): void {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  }
  function nextFault(): LinkFault | undefined {
    commands += 1;
    if (plan === undefined || commands !== plan.at) return undefined;
    const { fault } = plan;
    plan = undefined;
    return fault;
  }

  const server = createServer((client) => {
    connections += 1;
    if (isCut) {
      client.destroy();
      return;
    }
    const redis = connect(port, '127.0.0.1');
    function breakBoth(): void {
      client.destroy();
      redis.destroy();
    }
    const reply = replyWriter(client);
    replies.add(reply);
    if (dripsPerSecond !== undefined) reply.drip(dripsPerSecond);
    for (const socket of [client, redis]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', breakBoth);
      socket.on('close', () => {
        sockets.delete(socket);
        replies.delete(reply);
        reply.close();
        breakBoth();
      });
    }
    /** The fault of each command that Redis has not answered yet. */
    const unanswered: (LinkFault | undefined)[] = [];
    let silent = false;
    onFrames(client, (command) => {
      const fault = nextFault();
      if (fault === 'go away') cut();
      if (fault === 'lose command') breakBoth();
      if (client.destroyed) return;
      unanswered.push(fault);
      redis.write(command);
    });
    onFrames(redis, (frame) => {
      const fault = unanswered.shift();
      if (fault === 'lose reply') breakBoth();
      silent ||= fault === 'silence';
      if (!silent && !client.destroyed) reply.write(bent(frame, fault, options));
    });
    if (isHung) for (const socket of [client, redis]) socket.pause();
  });
  const { addr, close } = await onLoopback(server);
  return {
    addr,
    breakAt: (n, fault) => {
      commands = 0;
      plan = { at: n, fault };
    },
    cut,
    drip: (bytesPerSecond) => {
      dripsPerSecond = bytesPerSecond;
      for (const reply of replies) reply.drip(bytesPerSecond);
    },
    hang: () => {
      isHung = true;
      for (const socket of sockets) socket.pause();
    },
    connections: () => connections,
    heal: () => {
      isCut = false;
      plan = undefined;
      dripsPerSecond = undefined;
      isHung = false;
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      cut();
      await close();
    },
  };
}

interface ReplyWriter {
  write(reply: Buffer | string): void;
  /** From now on, permanently. */
  drip(bytesPerSecond: number): void;
  close(): void;
}

function replyWriter(client: Socket): ReplyWriter {
  let timer: NodeJS.Timeout | undefined;
  let waiting = Buffer.alloc(0);
  return {
    write(reply) {
      if (timer === undefined) client.write(reply);
      else waiting = Buffer.concat([waiting, Buffer.from(reply)]);
    },
    drip(bytesPerSecond) {
      timer ??= setInterval(() => {
        if (waiting.length > 0) client.write(waiting.subarray(0, 1));
        waiting = waiting.subarray(1);
      }, 1_000 / bytesPerSecond);
    },
    close() {
      clearInterval(timer);
    },
  };
}

function bent(reply: Buffer, fault: LinkFault | undefined, { rewrite }: RedisLinkOptions): Buffer | string {
  switch (fault) {
    case 'garbage':
      return 'HTTP/1.1 400 Bad Request\r\n\r\n';
    case 'wrong shape':
      return '+SURPRISE\r\n';
    case 'error':
      return '-ERR something broke\r\n';
    default:
      return rewrite === undefined
        ? reply
        : Buffer.from(reply.toString('latin1').replaceAll(rewrite[0], rewrite[1]), 'latin1');
  }
}

/** Calls back with each whole RESP value from a socket. */
function onFrames(socket: Socket, onFrame: (frame: Buffer) => void): void {
  let kept = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]);
    for (let end = frameEnd(kept, 0); end > 0; end = frameEnd(kept, 0)) {
      onFrame(kept.subarray(0, end));
      kept = kept.subarray(end);
    }
  });
}

/** Returns the end of the RESP3 value that starts at `at`; -1 if its rest has not arrived yet. */
function frameEnd(bytes: Buffer, at: number): number {
  const lineEnd = bytes.indexOf('\r\n', at);
  if (lineEnd < 0) return -1;
  const kind = String.fromCharCode(bytes[at] ?? 0);
  const count = Number(bytes.toString('latin1', at + 1, lineEnd));
  let end = lineEnd + 2;
  if ('$=!'.includes(kind) && count >= 0) {
    end += count + 2;
    return end <= bytes.length ? end : -1;
  }
  const items = '*~>'.includes(kind) ? count : kind === '%' ? count * 2 : 0;
  for (let item = 0; item < items; item++) {
    end = frameEnd(bytes, end);
    if (end < 0) return -1;
  }
  return end;
}
