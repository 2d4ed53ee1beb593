/** Appends values to a list of any length. `list.push(...values)` overflows the stack for more than about 100,000. */
export function addAll<Value>(list: Value[], values: Iterable<Value>): void {
  for (const value of values) list.push(value);
}
