type Numbers = Uint8Array | Uint16Array | Int32Array;

/** Copies a typed array into a larger one, by default of twice the length. */
export function grown<Array extends Numbers>(numbers: Array, length = 2 * numbers.length): Array {
  const larger = new (numbers.constructor as new (length: number) => Array)(length);
  larger.set(numbers);
  return larger;
}
