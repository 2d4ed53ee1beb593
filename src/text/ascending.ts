/** The index of the last of ascending numbers that is not over `most`; -1 where all are. */
export function lastUpTo(ascending: readonly number[], most: number): number {
  return lastIndexUpTo(ascending.length, (index) => ascending[index] ?? 0, most);
}

/** The same, where the numbers are told by their indexes. */
export function lastIndexUpTo(count: number, numberAt: (index: number) => number, most: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numberAt(middle) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
