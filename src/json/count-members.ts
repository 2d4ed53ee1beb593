/**
 * Counts the members of all objects in a value of bounded nesting. Inherited enumerable names count too,
 * because the document is not trusted.
 */
export function countMembers(value: object): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      if (isContainer(item)) count += countMembers(item);
    }
    return count;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) {
    const item = members[name];
    count += 1;
    if (isContainer(item)) count += countMembers(item);
  }
  return count;
}

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
