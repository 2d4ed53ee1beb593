import { GatewayError } from '../../errors.ts';
import type { JsonPath } from '../../json/path.ts';
import type { JsonObject } from '../../json/is-object.ts';

/** A member in the client's spelling: Google accepts both `systemInstruction` and `system_instruction`. */
export interface Member {
  readonly name: string;
  readonly value: unknown;
}

const snakeNames = new Map<string, string>();

/** `maxOutputTokens` -> `max_output_tokens`. Callers pass a closed set of names, which bounds the cache. */
function snakeName(camel: string): string {
  const known = snakeNames.get(camel);
  if (known !== undefined) return known;
  const snake = camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeNames.set(camel, snake);
  return snake;
}

/**
 * Returns the member in either spelling of its camel-case name. Null counts as absent.
 * @throws GatewayError if both spellings are present, since the provider might use either
 */
export function member(object: JsonObject, camel: string): Member | undefined {
  const snake = snakeName(camel);
  const inCamel = object[camel];
  const inSnake = snake === camel ? undefined : object[snake];
  if (inSnake === undefined || inSnake === null) {
    return inCamel === undefined || inCamel === null ? undefined : { name: camel, value: inCamel };
  }
  if (inCamel !== undefined && inCamel !== null) {
    throw new GatewayError(
      'invalid_request',
      `The request has both "${camel}" and "${snake}". Send only one.`,
    );
  }
  return { name: snake, value: inSnake };
}

export function camelName(name: string): string {
  return !name.includes('_')
    ? name
    : name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Reads a list as Google does: an array, or a single value as a list of one. */
export function listAt(found: Member | undefined, path: JsonPath): { value: unknown; path: JsonPath }[] {
  if (found === undefined) return [];
  const at = [...path, found.name];
  if (!Array.isArray(found.value)) return [{ value: found.value, path: at }];
  return found.value.map((value: unknown, index) => ({ value, path: [...at, index] }));
}
