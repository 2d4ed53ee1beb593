type Numbers = Uint8Array | Uint16Array | Int32Array;

/**
 * Copies numbers into a larger array.
 * @param length defaults to twice as many, so that each number is copied once on average
 */
export function grown<Array extends Numbers>(numbers: Array, length = 2 * numbers.length): Array {
  const larger = new (numbers.constructor as new (length: number) => Array)(length);
  larger.set(numbers);
  return larger;
}
