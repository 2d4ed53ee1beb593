/** Returns the most similar known name, or undefined if no name is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = snakeCase(name.slice(0, 64));
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(plain.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(plain, snakeCase(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Returns a suggestion to append to an error, or an empty string if no other name is close. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined || near === name ? '' : `; did you mean ${near}?`;
}

/** Normalizes `maxPayloadBytes` and `max-payload-bytes` to `max_payload_bytes`. */
function snakeCase(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}

/** Returns the Damerau-Levenshtein distance. An adjacent swap counts once. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let distance = Math.min(
        cellAt(last, column) + 1,
        cellAt(current, column - 1) + 1,
        cellAt(last, column - 1) + (isSame ? 0 : 1),
      );
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwapped) distance = Math.min(distance, cellAt(beforeLast, column - 2) + 1);
      current.push(distance);
    }
    [beforeLast, last] = [last, current];
  }
  return cellAt(last, b.length);
}

function cellAt(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
