import type { Redis } from 'ioredis';
import type { Writable } from 'node:stream';

export interface ConnectionLimits {
  /** `redis.read_timeout`: time from a command to its reply. */
  readonly readTimeoutMs: number;
  /** `redis.write_timeout`: time until the system accepts written bytes. */
  readonly writeTimeoutMs: number;
  /** Whether commands may wait without limit once connected. */
  readonly mayBeSilent: boolean;
}

type CommandItem = NonNullable<ReturnType<Redis['commandQueue']['peekBack']>>;

/** A limit plus one tick stays within the slack of a phase's deadline. */
const TICKS_PER_LIMIT = 8;
const MIN_TICK_MS = 10;

/**
 * Destroys a connection on which a command misses its deadline, or which accepts no more bytes, even if some data still
 * arrives. The client then reconnects. Waiting commands fail and are not resent: their callers have given up.
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
    if (isSlowToTake(batches.begun))
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
 * Records the newest waiting mark at each tick, and reports whether the oldest has waited as long as the limit. Marks
 * complete in order. Counts ticks, which stop while the event loop is blocked: the other side is then not at fault.
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

/** Destroys the stream: a hanging peer would not take part in closing it. */
function giveUp(client: Redis, reason: string): void {
  const failure = new Error(reason);
  client.stream.destroy(failure);
  rejectAll(client.commandQueue, failure);
}

/**
 * Drops unanswered commands of a lost connection that are too old to resend: their callers have given up, and Redis may
 * have forgotten the operation ids that make repetitions harmless.
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

/** Number of batches handed to a stream, and of batches that the system has accepted. */
interface WrittenBatches {
  readonly begun: number;
  readonly taken: number;
}

/**
 * Joins all commands of one turn into one write. Strings are joined without a copy. Replaces ioredis's auto-pipelining,
 * whose pipelines survive young collections and made their pauses thirty times as long (decision 067).
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
        // Runs after the promises settled in this turn have sent their commands.
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
