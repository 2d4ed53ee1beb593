import { text as readAll } from 'node:stream/consumers';
import { main } from '../../../cli/main.ts';
import { readTrace } from '../../../src/verify/read/read-trace.ts';
import type { ReadElement } from '../../../src/verify/step.ts';
import { pipes } from '../scan/run-scan.ts';

/** Runs `gateway verify --trace -` on this input, cut into chunks of `chunkBytes` bytes. */
export async function verify(args: readonly string[], input: string | Buffer) {
  const { stdin, stdout, stderr, io } = pipes();
  stdin.end(input);
  const run = main(['verify', '--trace', '-', ...args], io).finally(() => {
    stdout.end();
    stderr.end();
  });
  const [code, printed, complaints] = await Promise.all([run, readAll(stdout), readAll(stderr)]);
  return { code, stdout: printed, stderr: complaints };
}

export interface JsonReport {
  readonly violations: readonly Record<string, unknown>[];
  readonly masked: readonly Record<string, unknown>[];
  readonly unreadable: readonly Record<string, unknown>[];
  readonly summary: Record<string, unknown>;
}

/** The same as `--output json`, parsed. */
export async function verifyJson(args: readonly string[], input: unknown) {
  const text = typeof input === 'string' || Buffer.isBuffer(input) ? input : JSON.stringify(input);
  const { code, stdout, stderr } = await verify(['--output', 'json', ...args], text);
  return { code, stderr, report: JSON.parse(stdout) as JsonReport };
}

/** Reads a trace in chunks of `chunkBytes` bytes. */
export async function readAllOf(input: string | Buffer, chunkBytes = Infinity): Promise<ReadElement[]> {
  const bytes = Buffer.from(input);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const read: ReadElement[] = [];
  for await (const elements of readTrace(chunks())) read.push(...elements);
  return read;
}

/** A line for each step: its type, session, tool or text. */
export function told(read: readonly ReadElement[]): string[] {
  return read.flatMap((element) =>
    element.kind === 'steps'
      ? element.steps.map(({ type, sessionId, tool, content, result }) =>
          [type, sessionId, tool, wordsOf(content ?? result)].filter((part) => part !== '').join(' '),
        )
      : [`${element.kind} ${String(element.index)}`],
  );
}

function wordsOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
