import { setTimeout as delay } from 'node:timers/promises';
import { newOperationId } from '../operation-id.ts';
import type { Rejected } from './receiver.ts';

export interface RecordQueueOptions {
  /**
   * Writes a whole batch, or throws; a failed batch is retried. Rejected records count as dropped.
   * @param batchId unchanged on retries
   */
  readonly write: (lines: readonly string[], batchId: string) => Promise<Rejected | undefined>;
  readonly onWritten: (records: number) => void;
  readonly onFailed?: (cause: unknown) => void;
  /**
   * Called for records that did not fit, came after `close`, were rejected, or were left at `close`. `cause` is why
   * they were rejected, or the current failure of the sink, if any.
   */
  readonly onDropped: (records: number, cause: unknown) => void;
  readonly maxRecords?: number;
  /** Maximum total UTF-16 code units of waiting records. */
  readonly maxChars?: number;
}

const MAX_RECORDS = 10_000;
const MAX_CHARS = 16 * 1024 * 1024;
const BATCH_RECORDS = 100;
const BATCH_CHARS = 512 * 1024;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

interface Waiter {
  /** Number of the last record to wait for. */
  readonly upTo: number;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/** A bounded queue of lines for one sink. Writes one batch at a time, and retries until closed. */
export class RecordQueue {
  readonly #options: RecordQueueOptions;
  readonly #maxRecords: number;
  readonly #maxChars: number;
  #lines: string[] = [];
  #chars = 0;
  #added = 0;
  #written = 0;
  #waiters: Waiter[] = [];
  #failure: unknown;
  #isWorking = false;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(options: RecordQueueOptions) {
    this.#options = options;
    this.#maxRecords = options.maxRecords ?? MAX_RECORDS;
    this.#maxChars = options.maxChars ?? MAX_CHARS;
  }

  /** Returns false if the queue is full or closed. Never blocks. */
  add(line: string): boolean {
    if (this.#isClosed || !this.#hasRoom(line.length)) {
      this.#options.onDropped(1, this.#failure);
      return false;
    }
    this.#lines.push(line);
    this.#chars += line.length;
    this.#added += 1;
    if (!this.#isWorking) {
      this.#isWorking = true;
      // Deferred, so that lines added in the same turn join the batch.
      queueMicrotask(() => void this.#work());
    }
    return true;
  }

  /** Resolves when all records added so far are written or rejected. Rejects if an attempt fails before that. */
  written(): Promise<void> {
    if (this.#written === this.#added) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ upTo: this.#added, resolve, reject });
      this.#wake?.();
    });
  }

  /** Writes waiting records for at most `withinMs`, then drops the rest. */
  async close(withinMs: number): Promise<void> {
    const end = performance.now() + withinMs;
    while (this.#written < this.#added && performance.now() < end) {
      const isLate = delay(Math.max(end - performance.now(), 0), undefined, { ref: false });
      const again = (): Promise<void> => delay(Math.min(FIRST_PAUSE_MS, withinMs), undefined, { ref: false });
      await Promise.race([this.written().catch(again), isLate]);
    }
    this.#isClosed = true;
    this.#wake?.();
    const left = this.#added - this.#written;
    if (left > 0) this.#options.onDropped(left, this.#failure);
  }

  #hasRoom(chars: number): boolean {
    return this.#lines.length < this.#maxRecords && this.#chars + chars <= this.#maxChars;
  }

  async #work(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (this.#lines.length > 0 && !this.#isClosed) {
      const batch = this.#nextBatch();
      const batchId = newOperationId();
      while (!(await this.#tried(batch, batchId))) {
        await this.#pause(pauseMs);
        if (this.#isClosed) return;
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      }
      pauseMs = FIRST_PAUSE_MS;
    }
    this.#isWorking = false;
  }

  async #tried(batch: readonly string[], batchId: string): Promise<boolean> {
    let rejected: Rejected | undefined;
    try {
      rejected = await this.#options.write(batch, batchId);
    } catch (cause) {
      this.#failure = cause;
      this.#options.onFailed?.(cause);
      for (const { reject } of this.#waiters.splice(0)) reject(cause);
      return false;
    }
    this.#failure = undefined;
    this.#lines.splice(0, batch.length);
    for (const line of batch) this.#chars -= line.length;
    this.#written += batch.length;
    const refused = Math.min(rejected?.records ?? 0, batch.length);
    this.#options.onWritten(batch.length - refused);
    if (refused > 0) this.#options.onDropped(refused, rejected?.cause);
    const isWaiting = this.#waiters.findIndex(({ upTo }) => upTo > this.#written);
    const done = this.#waiters.splice(0, isWaiting === -1 ? this.#waiters.length : isWaiting);
    for (const { resolve } of done) resolve();
    return true;
  }

  /** Returns the next lines without removing them, because the write may fail. */
  #nextBatch(): readonly string[] {
    let chars = 0;
    let end = 0;
    for (const line of this.#lines.slice(0, BATCH_RECORDS)) {
      chars += line.length;
      if (end > 0 && chars > BATCH_CHARS) break;
      end += 1;
    }
    return this.#lines.slice(0, end);
  }

  /** Waits before a retry. A new waiter ends the pause. */
  #pause(ms: number): Promise<void> {
    if (this.#waiters.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), ms);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
