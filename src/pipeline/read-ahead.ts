import { PASS, type Caller, type FinalVerdict } from './check.ts';
import type { Batch } from './batch.ts';
import type { Parsed } from './exchange.ts';

/**
 * Thrown instead of a verdict based on data read ahead, if the session has changed since or the verdict is not a pass.
 * The runner then reads current data, and `repeatable` checks judge again.
 */
export class StaleRead extends Error {
  /** Name of the check that threw, for `gateway_judged_again_total`. */
  readonly by: string;

  constructor(by: string) {
    super('data that was read ahead is not enough to judge by');
    this.name = 'StaleRead';
    this.by = by;
  }
}

interface NamedSession {
  readonly keyHash: string;
  readonly sessionId: string;
}

/**
 * Reads session data from a check's store: together with the key's record if the headers contain the session id,
 * otherwise once the body has arrived. Data read ahead can only let a request pass, and only if a comparison in the
 * `requestBody` batch finds it unchanged (see `confirmed`).
 */
export class SessionRead<Data> {
  #ahead: Promise<Data> | undefined;
  #current: { readonly reading: Promise<Data>; readonly isAhead: boolean } | undefined;

  /** Reads together with the key's record. Does nothing without a batch, because stores then answer immediately. */
  readAhead(
    { keyHash, sessionId }: Caller,
    batch: Batch | undefined,
    read: (session: NamedSession) => Promise<Data>,
  ): void {
    if (sessionId !== undefined && batch !== undefined) this.#ahead = handled(read({ keyHash, sessionId }));
  }

  /** Returns the data read ahead, once. */
  takeAhead(): Promise<Data> | undefined {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return ahead;
  }

  /** Reads current data, unless both this check and the session check (`isReadAhead`) use data read ahead. */
  read({ facts }: Parsed, read: () => Promise<Data>): void {
    const ahead = this.takeAhead();
    this.#current =
      ahead !== undefined && facts.isReadAhead === true
        ? { reading: ahead, isAhead: true }
        : { reading: handled(read()), isAhead: false };
  }

  /** Returns the data to judge by, once, or undefined if `read` was not called. */
  async take(): Promise<{ readonly data: Data; readonly isAhead: boolean } | undefined> {
    const current = this.#current;
    this.#current = undefined;
    return current && { data: await current.reading, isAhead: current.isAhead };
  }
}

/**
 * Returns the verdict if the data that the check judged by has not changed.
 * @param same the comparison, sent in the same batch before the verdict's own operations
 * @throws StaleRead if the data has changed
 */
export async function confirmed(
  check: string,
  same: Promise<boolean>,
  verdict: FinalVerdict | Promise<FinalVerdict> = PASS,
): Promise<FinalVerdict> {
  // Awaits both, because nothing may be repeated before the first outcome is known.
  const [compared, judged] = await Promise.allSettled([same, verdict]);
  if (compared.status === 'fulfilled' && !compared.value) throw new StaleRead(check);
  if (judged.status === 'rejected') throw judged.reason;
  // The refused operation ran after the comparison, which must therefore have succeeded.
  if (compared.status === 'rejected' && judged.value.kind !== 'deny') throw compared.reason;
  return judged.value;
}

/** Marks a promise's rejection as handled, because after an earlier denial the promise may never be awaited. */
export function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}
