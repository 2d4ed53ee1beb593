/** Returns the value of a JSON text, or undefined. Accepts duplicate members, so do not use it for requests. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
