/** Who waits for a turn, first come first served. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a turn of the event loop that nobody else who asks here gets: however many long texts are read at once,
 * what arrives meanwhile waits for one slice of one of them, not for a slice of each.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}
