/** An object or array on the way down through a parsed document. */
export interface Level {
  readonly value: object;
  /** Of an object's members. */
  readonly names: readonly string[] | undefined;
  readonly length: number;
  next: number;
}

export function levelOf(value: object): Level {
  const names = Array.isArray(value) ? undefined : Object.keys(value);
  return { value, names, length: Array.isArray(value) ? value.length : (names?.length ?? 0), next: 0 };
}

/**
 * Goes on to the next member of the innermost level that has one, and leaves those that have none.
 * @param path is made to lead to that member
 * @returns the level that the member is of; undefined at the end
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
