/**
 * A thread with one OPA and one set of policies in it, apart from the event loop that carries traffic. Whoever
 * started it watches its time and ends it; it never says more than its replies.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { loadEngine } from './load-engine.ts';
import type { ThreadData, ThreadReply } from './thread-messages.ts';

async function start({ module, request, evaluationMs }: ThreadData): Promise<void> {
  const engine = await loadEngine(module);
  void engine.ended.then(() => process.exit(1));
  const post = (reply: string): void => parentPort?.postMessage(JSON.parse(reply) as ThreadReply);
  post(engine.compile(request));
  parentPort?.on('message', (input: string) => post(engine.evaluate(input, evaluationMs)));
}

await start(workerData as ThreadData);
