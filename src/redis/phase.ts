import { NotDone, type Phase } from '../pipeline/phase.ts';
import type { RedisClient } from './client.ts';
import { runTogether, type Replies, type ScriptCall } from './script.ts';
import { redisUnavailable, withRedisDeadline } from './unavailable.ts';

/** What a store asks in a phase, or by itself. */
export interface Question<Reply> extends ScriptCall {
  /** Throws where the reply is of the wrong shape. */
  readonly read: (reply: unknown) => Reply;
  /**
   * Asked where the script has refused: what it is told when all is tried once more; undefined leaves it at that.
   */
  readonly otherwise?: (reply: Reply) => ScriptCall['args'] | undefined;
}

/** How a store asks Redis: at once, or in a phase that was made for its Redis. */
export interface Asking {
  /** @throws GatewayError redis_unavailable */
  ask<Reply>(question: Question<Reply>, phase?: Phase): Promise<Reply>;
}

/** @param deadlineMs of one question, or of all those of a phase: see `phaseDeadlineMs` */
export function createAsking(client: RedisClient, deadlineMs: number): Asking {
  function askAlone<Reply>(question: Question<Reply>): Promise<Reply> {
    const phase = new RedisPhase(client, deadlineMs);
    const answered = phase.ask(question);
    phase.send();
    return answered;
  }

  return {
    ask(question, phase) {
      if (phase instanceof RedisPhase) return phase.ask(question);
      if (question.otherwise !== undefined) return askAlone(question);
      return withRedisDeadline(deadlineMs, async () =>
        question.read(await question.script.run(client, question.keys, question.args)),
      );
    },
  };
}

function ignore(): void {}

/** Replies are of many types; each question reads its own. */
interface Asked {
  readonly question: Question<unknown>;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/** Scripts on keys of one slot, sent as one. */
export class RedisPhase implements Phase {
  readonly #client: RedisClient;
  readonly #deadlineMs: number;
  #asked: Asked[] = [];
  #isSent = false;

  constructor(client: RedisClient, deadlineMs: number) {
    this.#client = client;
    this.#deadlineMs = deadlineMs;
  }

  ask<Reply>(question: Question<Reply>): Promise<Reply> {
    const answered = new Promise<unknown>((resolve, reject) => {
      this.#asked.push({ question: question as Question<unknown>, resolve, reject });
    });
    // Where an earlier check denies, nobody waits for it.
    answered.catch(ignore);
    if (this.#isSent) this.#flush();
    return answered as Promise<Reply>;
  }

  send(): void {
    this.#isSent = true;
    this.#flush();
  }

  drop(): void {
    for (const { reject } of this.#take()) reject(new NotDone());
  }

  #take(): readonly Asked[] {
    const asked = this.#asked;
    this.#asked = [];
    return asked;
  }

  #flush(): void {
    const asked = this.#take();
    if (asked.length > 0) void this.#run(asked);
  }

  async #run(asked: readonly Asked[]): Promise<void> {
    try {
      const { replies, refused } = await withRedisDeadline(this.#deadlineMs, () => this.#replies(asked));
      asked.forEach((one, index) => {
        if (refused === undefined || refused === index) answer(one, replies[index]);
        else one.reject(new NotDone());
      });
    } catch (cause) {
      for (const { reject } of asked) reject(cause);
    }
  }

  async #replies(asked: readonly Asked[]): Promise<Replies> {
    const questions = asked.map(({ question }) => question);
    const first = await runTogether(this.#client, questions);
    if (first.refused === undefined) return first;
    const refused = questions[first.refused];
    const args = refused?.otherwise?.(refused.read(first.replies[first.refused]));
    if (args === undefined) return first;
    return runTogether(
      this.#client,
      questions.map((call, index) => (index === first.refused ? { ...call, args } : call)),
    );
  }
}

function answer({ question, resolve, reject }: Asked, reply: unknown): void {
  try {
    resolve(question.read(reply));
  } catch (cause) {
    reject(redisUnavailable(cause));
  }
}
