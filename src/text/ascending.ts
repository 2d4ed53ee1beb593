/** Returns the index of the last number not greater than `most` in an ascending array, or -1. */
export function lastUpTo(ascending: readonly number[], most: number): number {
  return lastIndexUpTo(ascending.length, (index) => ascending[index] ?? 0, most);
}

/** Same as `lastUpTo`, for numbers that a function returns by index. */
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
