/** An object or array on the way down through a parsed document. */
export interface Level {
  readonly value: object;
  /** Member names of an object. */
  readonly names: readonly string[] | undefined;
  readonly length: number;
  next: number;
}

export function levelOf(value: object): Level {
  const names = Array.isArray(value) ? undefined : Object.keys(value);
  return { value, names, length: Array.isArray(value) ? value.length : (names?.length ?? 0), next: 0 };
}

/**
 * Moves to the next member of the innermost level that has one, and leaves finished levels.
 * @param path is changed to lead to that member
 * @returns the member's level; undefined at the end
 */
export function nextLevel<Deeper extends Level>(
  levels: Deeper[],
  path: (string | number)[],
): Deeper | undefined {
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    if (level.next < level.length) {
      path.length = levels.length - 1;
      path.push(level.names === undefined ? level.next : (level.names[level.next] ?? ''));
      level.next += 1;
      return level;
    }
    levels.pop();
  }
  return undefined;
}
