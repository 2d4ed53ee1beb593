import type { Redis } from 'ioredis';
import type { Writable } from 'node:stream';

export interface ConnectionLimits {
  /** `redis.read_timeout`: maximum time from a command to its reply. */
  readonly readTimeoutMs: number;
  /** `redis.write_timeout`: maximum time until the operating system accepts written bytes. */
  readonly writeTimeoutMs: number;
  /** Whether commands may wait without limit once connected. */
  readonly mayBeSilent: boolean;
}

type CommandItem = NonNullable<ReturnType<Redis['commandQueue']['peekBack']>>;

/** A limit plus one tick must stay within the slack of a phase deadline. */
const TICKS_PER_LIMIT = 8;
const MIN_TICK_MS = 10;

/**
 * Destroys the connection if a command misses its deadline or no more bytes are accepted, even if data still arrives.
 * The client then reconnects. Waiting commands fail and are not resent, because their callers have given up.
 */
export function watchConnection(client: Redis, limits: ConnectionLimits): void {
  client.on('connect', () => watchStream(client, limits));
  client.on('close', () => rejectUnanswered(client, limits.readTimeoutMs));
}

function watchStream(client: Redis, { readTimeoutMs, writeTimeoutMs, mayBeSilent }: ConnectionLimits): void {
  const { stream, commandQueue: unanswered } = client;
  const batches = batchWrites(stream);
  const tickMs = Math.max(Math.min(readTimeoutMs, writeTimeoutMs) / TICKS_PER_LIMIT, MIN_TICK_MS);
  const isSlowToAnswer = watchOldest<CommandItem>(
    Math.ceil(readTimeoutMs / tickMs),
    (command) => !unanswered.toArray().includes(command),
  );
  const isSlowToAccept = watchOldest<number>(
    Math.ceil(writeTimeoutMs / tickMs),
    (batch) => batches.taken >= batch,
  );
  const timer = setInterval(() => {
    const answers = !(mayBeSilent && client.status === 'ready');
    if (isSlowToAccept(batches.begun))
      giveUp(client, `Redis accepted no data within ${String(writeTimeoutMs)} ms`);
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
 * Returns a function that records the newest waiting mark on each tick, and reports whether the oldest has reached the
 * limit. Marks complete in order. Counts ticks, because Redis is not at fault while our event loop is blocked.
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

/** Destroys the stream, because a hanging peer would not complete a graceful close. */
function giveUp(client: Redis, reason: string): void {
  const failure = new Error(reason);
  client.stream.destroy(failure);
  rejectAll(client.commandQueue, failure);
}

/**
 * Rejects the unanswered commands of a lost connection after `withinMs`, when resending them is unsafe: callers have
 * given up, and Redis may have forgotten the operation ids that make repeats harmless.
 */
function rejectUnanswered({ commandQueue }: Redis, withinMs: number): void {
  if (commandQueue.length === 0) return;
  setTimeout(() => {
    rejectAll(commandQueue, new Error('Redis did not come back in time'));
  }, withinMs).unref();
}

function rejectAll(queue: Redis['commandQueue'], failure: Error): void {
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) item.command.reject(failure);
}

/** Number of batches begun, and of batches that the operating system has accepted. */
interface WrittenBatches {
  readonly begun: number;
  readonly taken: number;
}

/**
 * Joins all commands before the next `nextTick` callback into one write; joining strings copies nothing. Replaces
 * ioredis auto-pipelining, whose pipelines survive minor garbage collections and lengthen their pauses (decision 067).
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
        // In a promise callback, `nextTick` runs after all pending callbacks, so that their commands are included.
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
