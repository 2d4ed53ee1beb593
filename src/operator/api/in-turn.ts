/** Limits concurrent reads, because gateways have priority in Redis. */
const READING_AT_ONCE = 2;

/** Returns a function that runs at most READING_AT_ONCE tasks concurrently; others wait in order. */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running === READING_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
