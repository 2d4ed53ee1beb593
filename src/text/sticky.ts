/** Returns the end of a sticky pattern's match at `at`, or undefined if there is none. */
export function stickyEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
