/** Returns the rejection of a promise; `nothing` if it was fulfilled. */
export function thrown(work: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(work).then(
    () => 'nothing',
    (error: unknown) => error,
  );
}

/** A `fetch` that counts its calls. */
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
