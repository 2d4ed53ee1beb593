import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import type { Io } from '../../../cli/command.ts';
import { main } from '../../../cli/main.ts';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly lines: readonly unknown[];
}

/** The process as a command sees it; the streams are pipes. */
export function pipes() {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const io: Io = {
    // A command reads it and checks whether it is a terminal.
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout,
    stderr,
    // Must not use Redis.
    env: { REDIS_ADDR: '127.0.0.1:1' },
  };
  return { stdin, stdout, stderr, io };
}

export async function scan(args: readonly string[], input: string | Buffer): Promise<Ended> {
  const { stdin, stdout, stderr, io } = pipes();
  stdin.end(input);
  const run = main(['scan', ...args], io).finally(() => {
    stdout.end();
    stderr.end();
  });
  const [code, printed, complaints] = await Promise.all([run, readAll(stdout), readAll(stderr)]);
  const lines = printed.split('\n').filter((line) => line.startsWith('{'));
  return {
    code,
    stdout: printed,
    stderr: complaints,
    lines: lines.map((line): unknown => JSON.parse(line)),
  };
}

/** Rows as read. */
export function jsonl(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
