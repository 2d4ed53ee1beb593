import { GatewayError } from '../../errors.ts';
import type { JsonPath } from '../../json/path.ts';
import type { JsonObject } from '../provider.ts';

/** A member as the client spelled it: Google takes `systemInstruction` and `system_instruction` alike. */
export interface Member {
  readonly name: string;
  readonly value: unknown;
}

const snakeNames = new Map<string, string>();

/** `maxOutputTokens` -> `max_output_tokens`; the names asked for are a small closed set, so the map is too. */
function snakeName(camel: string): string {
  const known = snakeNames.get(camel);
  if (known !== undefined) return known;
  const snake = camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeNames.set(camel, snake);
  return snake;
}

/**
 * The member of this camel-case name in either spelling; null counts as absent.
 * Both at once are refused: which of the two the provider would believe is not for us to guess.
 */
export function member(object: JsonObject, camel: string): Member | undefined {
  const snake = snakeName(camel);
  const inCamel = object[camel];
  const inSnake = snake === camel ? undefined : object[snake];
  if (inSnake === undefined || inSnake === null) {
    return inCamel === undefined || inCamel === null ? undefined : { name: camel, value: inCamel };
  }
  if (inCamel !== undefined && inCamel !== null) {
    throw new GatewayError('invalid_request', `The request names both "${camel}" and "${snake}": send one.`);
  }
  return { name: snake, value: inSnake };
}

/** The camel-case spelling of a name in either. */
export function camelName(name: string): string {
  return !name.includes('_')
    ? name
    : name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A list as Google reads one: an array, or a single value standing for a list of one. */
export function listAt(found: Member | undefined, path: JsonPath): { value: unknown; path: JsonPath }[] {
  if (found === undefined) return [];
  const at = [...path, found.name];
  if (!Array.isArray(found.value)) return [{ value: found.value, path: at }];
  return found.value.map((value: unknown, index) => ({ value, path: [...at, index] }));
}
