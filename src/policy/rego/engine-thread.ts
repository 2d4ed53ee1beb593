import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { brotliDecompress } from 'node:zlib';
import { RegoEvaluationError, RegoFilesError } from './rego-error.ts';
import type { RegoFacts, RegoFile, ThreadData, ThreadReply } from './thread-messages.ts';

export const POLICY_PACKAGE = 'gateway.policy';
/** The rules that the gateway evaluates in its package (docs/policies.md). */
export const POLICY_RULES = ['allow', 'deny', 'escalate', 'quarantine', 'taint'] as const;
/** Not the whole package, whose constants would be serialized with every call. */
const QUERY = `decision = {rule: value | some rule in ${JSON.stringify(POLICY_RULES)}; value := data.${POLICY_PACKAGE}[rule]}`;
const MAX_NAMED_FILES = 3;

export interface ThreadLimits {
  /** Time after which OPA is asked to stop. */
  readonly evaluationMs: number;
  /** Extra time before the thread is terminated. */
  readonly graceMs: number;
  readonly startMs: number;
  /** Whether the thread runs at low priority (Linux only). */
  readonly yieldsCpu?: boolean;
}

export interface EngineThread {
  readonly facts: RegoFacts;
  /** Evaluates the query for a JSON input. Calls must not overlap. */
  evaluate(input: string): Promise<unknown>;
  end(): Promise<void>;
}

/**
 * @param query must bind exactly one variable, `decision`
 * @throws RegoFilesError if the files are invalid
 * @throws RegoEvaluationError `hung` or `died` if they take more time or memory than allowed
 */
export async function startEngineThread(
  files: readonly RegoFile[],
  limits: ThreadLimits,
  query = QUERY,
): Promise<EngineThread> {
  const data: ThreadData = {
    module: await engineModule(),
    files,
    query,
    evaluationMs: limits.evaluationMs,
    yieldsCpu: limits.yieldsCpu === true,
  };
  const channel = openChannel(new Worker(threadFile(), { workerData: data, env: {} }));
  const first = await channel.reply(limits.startMs).catch((cause: unknown) => {
    throw unreadableFiles(cause, files, limits.startMs);
  });
  if ('set' in first) return { facts: first.set, evaluate, end: channel.end };
  await channel.end();
  throw new RegoFilesError('failures' in first ? first.failures : 'failure' in first ? [first.failure] : []);

  async function evaluate(input: string): Promise<unknown> {
    channel.send(input);
    const answer = await channel.reply(limits.evaluationMs + limits.graceMs);
    if ('results' in answer) return answer.results?.[0]?.['decision'];
    const message = 'failure' in answer ? answer.failure.message : 'the engine returned no result';
    throw new RegoEvaluationError('failed', message);
  }
}

/** Names the largest files, because a broken engine cannot report the faulty one. */
function unreadableFiles(cause: unknown, files: readonly RegoFile[], startMs: number): unknown {
  if (!(cause instanceof RegoEvaluationError)) return cause;
  const names = [...files]
    .sort((a, b) => b.text.length - a.text.length)
    .slice(0, MAX_NAMED_FILES)
    .map(({ name, text }) => `${name} (${text.length} characters)`);
  const limit = cause.trouble === 'hung' ? `${startMs / 1_000} s` : `the engine's memory`;
  const message = `the policies need more than ${limit} to compile: make them smaller or simpler; the largest: ${names.join(', ')}`;
  return new RegoEvaluationError(cause.trouble, message);
}

interface Channel {
  send(input: string): void;
  /** Resolves to the thread's next message. Terminates the thread if the message is late. */
  reply(limitMs: number): Promise<ThreadReply>;
  end(): Promise<void>;
}

function openChannel(worker: Worker): Channel {
  let waiting: PromiseWithResolvers<ThreadReply> | undefined;
  let ended: RegoEvaluationError | undefined;
  function onEnd(): void {
    ended ??= new RegoEvaluationError('died', 'the policy engine stopped unexpectedly');
    waiting?.reject(ended);
  }
  worker.on('message', (message: ThreadReply) => waiting?.resolve(message));
  worker.on('error', onEnd).on('exit', onEnd);
  return {
    send: (input) => worker.postMessage(input),
    async reply(limitMs) {
      if (ended !== undefined) throw ended;
      const current = (waiting = Promise.withResolvers<ThreadReply>());
      const late = setTimeout(() => {
        ended ??= new RegoEvaluationError('hung', `the policy engine did not answer within ${limitMs} ms`);
        current.reject(ended);
        void worker.terminate();
      }, limitMs);
      try {
        return await current.promise;
      } finally {
        clearTimeout(late);
      }
    },
    async end() {
      ended ??= new RegoEvaluationError('closed', 'the policy set is no longer in use');
      waiting?.reject(ended);
      await worker.terminate();
    },
  };
}

function threadFile(): string {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  return fileURLToPath(new URL(`./thread${extension}`, import.meta.url));
}

const ENGINE = new URL('../../../policies/engine/engine.wasm.br', import.meta.url);

/** OPA as WebAssembly (policies/engine), decompressed and compiled on demand, once per process. */
export const engineModule = onceItWorks(async () =>
  WebAssembly.compile(await promisify(brotliDecompress)(await readFile(ENGINE))),
);

/** Returns a function that caches the result of `make`, but not its failures. Concurrent callers share an attempt. */
export function onceItWorks<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    const attempt = (made ??= make());
    attempt.catch(() => {
      if (made === attempt) made = undefined;
    });
    return attempt;
  };
}
