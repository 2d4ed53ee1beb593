import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';

/**
 * Runs `work` while no other process on this machine runs one under the same name. The lock is an abstract socket
 * (Linux), which the kernel releases when its holder ends in any way, so no lock can be left behind.
 */
export async function underLock<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const digest = createHash('sha256').update(name).digest('hex');
  const path = `\0ai-firewall-gateway/${digest}`;
  const server = await acquire(path);
  try {
    return await work();
  } finally {
    await release(server);
  }
}

interface HeldLock {
  readonly server: Server;
  /** Waiting processes; they try again when their connection ends. */
  readonly waiting: Set<{ destroy(): unknown }>;
}

async function acquire(path: string): Promise<HeldLock> {
  for (;;) {
    const held = await listen(path);
    if (held !== undefined) return held;
    await untilReleased(path);
  }
}

/** Returns undefined if another process has it. */
function listen(path: string): Promise<HeldLock | undefined> {
  return new Promise((resolve, reject) => {
    const waiting: HeldLock['waiting'] = new Set();
    const server = createServer((socket) => {
      waiting.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => waiting.delete(socket));
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen({ path }, () => {
      resolve({ server, waiting });
    });
  });
}

function untilReleased(path: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    // Refused: it was released between our two steps.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      resolve();
    });
    socket.resume();
  });
}

async function release({ server, waiting }: HeldLock): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const socket of waiting) socket.destroy();
  await closed;
}
