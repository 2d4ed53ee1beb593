/** What a promise was rejected with; `nothing` where it was not. */
export function thrown(work: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(work).then(
    () => 'nothing',
    (error: unknown) => error,
  );
}

/** A `fetch` that counts how often it was called. */
export function countingFetch(): { readonly fetch: typeof fetch; attempts: number } {
  const counted = {
    attempts: 0,
    fetch(...args: Parameters<typeof fetch>): Promise<Response> {
      counted.attempts += 1;
      return fetch(...args);
    },
  };
  return counted;
}
