import type { Redis } from 'ioredis';
import type { Writable } from 'node:stream';

export interface ConnectionLimits {
  /** `redis.read_timeout`: how long a command, once sent, may go without its reply. */
  readonly readTimeoutMs: number;
  /** `redis.write_timeout`: how long what was written may wait for the system to take it. */
  readonly writeTimeoutMs: number;
  /** Subscribers and blocking readers: once the connection is set up, commands may go without a reply. */
  readonly mayBeSilent: boolean;
}

type CommandItem = NonNullable<ReturnType<Redis['commandQueue']['peekBack']>>;

/** Fine enough that a limit and a tick are less than the slack of a phase's deadline. */
const TICKS_PER_LIMIT = 8;
const MIN_TICK_MS = 10;

/**
 * Gives a connection up on which a command has missed its deadline, or that takes no more bytes, whether it is silent
 * or drips: the client makes a new one. What waited on it fails, and is not sent again: its callers have given up.
 */
export function watchConnection(client: Redis, limits: ConnectionLimits): void {
  client.on('connect', () => watchStream(client, limits));
  client.on('close', () => dropLate(client, limits.readTimeoutMs));
}

function watchStream(client: Redis, { readTimeoutMs, writeTimeoutMs, mayBeSilent }: ConnectionLimits): void {
  const { stream, commandQueue: unanswered } = client;
  const batches = batchWrites(stream);
  const tickMs = Math.max(Math.min(readTimeoutMs, writeTimeoutMs) / TICKS_PER_LIMIT, MIN_TICK_MS);
  const isSlowToAnswer = watchOldest<CommandItem>(
    Math.ceil(readTimeoutMs / tickMs),
    (command) => !unanswered.toArray().includes(command),
  );
  const isSlowToTake = watchOldest<number>(
    Math.ceil(writeTimeoutMs / tickMs),
    (batch) => batches.taken >= batch,
  );
  const timer = setInterval(() => {
    const answers = !(mayBeSilent && client.status === 'ready');
    if (isSlowToTake(batches.begun)) giveUp(client, `Redis took nothing within ${String(writeTimeoutMs)} ms`);
    else if (isSlowToAnswer(answers ? unanswered.peekBack() : undefined)) {
      giveUp(client, `Redis did not answer within ${String(readTimeoutMs)} ms`);
    }
  }, tickMs);
  timer.unref();
  stream.once('close', () => {
    clearInterval(timer);
  });
}

/**
 * Told each tick of the newest that waits; says whether the oldest has waited for the limit. What is done, is done with
 * all before it. Time is counted in ticks, of which a loop that is held up has none: what it could not read yet is no
 * fault of the other side.
 */
function watchOldest<Mark>(limitTicks: number, isDone: (mark: Mark) => boolean) {
  const marks: { readonly mark: Mark; readonly tick: number }[] = [];
  let tick = 0;
  return (newest: Mark | undefined): boolean => {
    tick += 1;
    while (marks[0] !== undefined && isDone(marks[0].mark)) marks.shift();
    const [oldest] = marks;
    if (oldest !== undefined && tick - oldest.tick >= limitTicks) return true;
    if (newest !== undefined && newest !== marks.at(-1)?.mark && !isDone(newest)) {
      marks.push({ mark: newest, tick });
    }
    return false;
  };
}

/** Not closed but destroyed: the other side of a connection that hangs would never take part in its closing. */
function giveUp(client: Redis, reason: string): void {
  const failure = new Error(reason);
  client.stream.destroy(failure);
  rejectAll(client.commandQueue, failure);
}

/**
 * What a lost connection left unanswered is sent again on the next one. Where that comes late, nobody waits any more,
 * and Redis may have forgotten the operation id under which a repeat changes nothing.
 */
function dropLate({ commandQueue }: Redis, withinMs: number): void {
  if (commandQueue.length === 0) return;
  setTimeout(() => {
    rejectAll(commandQueue, new Error('Redis was not back in time'));
  }, withinMs).unref();
}

function rejectAll(queue: Redis['commandQueue'], failure: Error): void {
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) item.command.reject(failure);
}

/** How many batches were handed to a stream, and how many of them the system has taken whole. */
interface WrittenBatches {
  readonly begun: number;
  readonly taken: number;
}

/**
 * Lets every command that is written in one turn go out in one write: the client writes strings, which the engine joins
 * without a copy, where a corked stream would keep account of each. ioredis's auto-pipelining makes one write of them too,
 * but its pipelines outlive their turn: what hangs on them survives young collections, and the pauses for copying it were
 * thirty times as long (decision 067).
 */
export function batchWrites(stream: Writable): WrittenBatches {
  const batches = { begun: 0, taken: 0 };
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  const end = stream.end.bind(stream) as (...args: unknown[]) => Writable;
  let text = '';
  function taken(): void {
    batches.taken += 1;
  }
  function flush(): void {
    if (text === '') return;
    const whole = text;
    text = '';
    write(whole, 'utf8', taken);
  }
  stream.write = (...args: unknown[]): boolean => {
    const [chunk] = args;
    if (typeof chunk === 'string' && args.length === 1) {
      if (text === '') {
        batches.begun += 1;
        // Runs once the promises that are settled in this turn have gone on, and sent what they send.
        process.nextTick(flush);
      }
      text += chunk;
      return true;
    }
    flush();
    if (args.length > 1) return write(...args);
    batches.begun += 1;
    return write(chunk, taken);
  };
  stream.end = (...args: unknown[]): Writable => {
    flush();
    return end(...args);
  };
  return batches;
}
