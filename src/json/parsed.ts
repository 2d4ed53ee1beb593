/** Returns the value of a JSON text; undefined for any other text. Accepts duplicate members: not for requests. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
