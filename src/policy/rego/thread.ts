/** Thread entry point: runs OPA off the main event loop. The starter terminates the thread if a reply is late. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { loadEngine, type LoadedEngine } from './load-engine.ts';
import { nestingFailure } from './nesting.ts';
import type { ThreadData, ThreadReply } from './thread-messages.ts';

/** Maximum length of a reply, because the event loop that serves traffic must deserialize it. */
const MAX_REPLY_CHARS = 1_048_576;

/** Nice value of yielding threads: about a tenth of the normal CPU weight. */
const YIELDING = 10;

async function start({ module, files, query, evaluationMs, yieldsCpu }: ThreadData): Promise<void> {
  if (yieldsCpu) lowerPriority();
  const nested = files.flatMap((file) => nestingFailure(file) ?? []);
  if (nested.length > 0) return post({ failures: nested });
  const engine = await loadEngine(module);
  void engine.ended.then(() => process.exit(1));
  post(compiled(engine, JSON.stringify({ files, query })));
  parentPort?.on('message', (input: string) => post(threadReply(engine.evaluate(input, evaluationMs))));
}

/** Lowers only this thread's priority, by its Linux thread id. */
function lowerPriority(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), YIELDING);
  } catch {
    // On other systems, threads have no priority of their own.
  }
}

function compiled(engine: LoadedEngine, request: string): ThreadReply {
  const reply = engine.compile(request);
  if (reply.length <= MAX_REPLY_CHARS) return JSON.parse(reply) as ThreadReply;
  return { failures: [{ code: 'gateway_error', message: 'the policies have too many rules or errors' }] };
}

function threadReply(reply: string): ThreadReply {
  if (reply.length <= MAX_REPLY_CHARS) return JSON.parse(reply) as ThreadReply;
  return { failure: { code: 'gateway_error', message: 'the policy result for a call is too long' } };
}

function post(reply: ThreadReply): void {
  parentPort?.postMessage(reply);
}

await start(workerData as ThreadData);
