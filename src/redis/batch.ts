import { BatchAborted, type Batch } from '../pipeline/batch.ts';
import { handled } from '../pipeline/read-ahead.ts';
import type { RedisClient } from './client.ts';
import { runTogether, type Replies, type ScriptCall } from './script.ts';
import { redisUnavailable, withRedisDeadline } from './unavailable.ts';

export interface Operation<Reply> extends ScriptCall {
  readonly read: (reply: unknown) => Reply;
  /** Called if the script refuses. Returns arguments for a second attempt, or undefined to give up. */
  readonly otherwise?: (reply: Reply) => ScriptCall['args'] | undefined;
}

/** Runs store operations as part of a `RedisBatch`, or immediately without a batch. */
export interface Operations {
  /** @throws GatewayError redis_unavailable */
  run<Reply>(operation: Operation<Reply>, batch?: Batch): Promise<Reply>;
}

/** @param deadlineMs deadline of an operation or a whole batch; see `phaseDeadlineMs` */
export function createOperations(client: RedisClient, deadlineMs: number): Operations {
  function runAlone<Reply>(operation: Operation<Reply>): Promise<Reply> {
    const batch = new RedisBatch(client, deadlineMs);
    const answered = batch.add(operation);
    batch.send();
    return answered;
  }

  return {
    run(operation, batch) {
      if (batch instanceof RedisBatch) return batch.add(operation);
      if (operation.otherwise !== undefined) return runAlone(operation);
      return withRedisDeadline(deadlineMs, () =>
        operation.script.run(client, operation.keys, operation.args).then(operation.read),
      );
    },
  };
}

interface Waiting {
  readonly operation: Operation<unknown>;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/** Sends several scripts as one. All their keys must be in one slot. */
export class RedisBatch implements Batch {
  readonly #client: RedisClient;
  readonly #deadlineMs: number;
  #waiting: Waiting[] = [];
  #isSent = false;

  constructor(client: RedisClient, deadlineMs: number) {
    this.#client = client;
    this.#deadlineMs = deadlineMs;
  }

  add<Reply>(operation: Operation<Reply>): Promise<Reply> {
    const answered = new Promise<unknown>((resolve, reject) => {
      function fail(cause: unknown): void {
        reject(cause);
        void handled(answered);
      }
      this.#waiting.push({ operation: operation as Operation<unknown>, resolve, reject: fail });
    });
    if (this.#isSent) this.#flush();
    return answered as Promise<Reply>;
  }

  send(): void {
    this.#isSent = true;
    this.#flush();
  }

  drop(): void {
    for (const { reject } of this.#take()) reject(new BatchAborted());
  }

  #take(): readonly Waiting[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  #flush(): void {
    const waiting = this.#take();
    if (waiting.length === 0) return;
    withRedisDeadline(this.#deadlineMs, () => this.#replies(waiting)).then(
      (replies) => answerAll(waiting, replies),
      (cause: unknown) => {
        for (const { reject } of waiting) reject(cause);
      },
    );
  }

  #replies(waiting: readonly Waiting[]): Promise<Replies> {
    const operations = waiting.map(({ operation }) => operation);
    return runTogether(this.#client, operations).then((first) => {
      if (first.refused === undefined) return first;
      const refused = operations[first.refused];
      const args = refused?.otherwise?.(refused.read(first.replies[first.refused]));
      if (args === undefined) return first;
      return runTogether(
        this.#client,
        operations.map((call, index) => (index === first.refused ? { ...call, args } : call)),
      );
    });
  }
}

function answerAll(waiting: readonly Waiting[], { replies, refused }: Replies): void {
  for (const [index, each] of waiting.entries()) {
    if (refused === undefined || refused === index) answer(each, replies[index]);
    else each.reject(new BatchAborted());
  }
}

function answer({ operation, resolve, reject }: Waiting, reply: unknown): void {
  try {
    resolve(operation.read(reply));
  } catch (cause) {
    reject(redisUnavailable(cause));
  }
}
