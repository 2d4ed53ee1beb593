import { isObject } from '../json/is-object.ts';
import { GatewayError } from '../errors.ts';
import { applyEdits } from '../json/edit.ts';
import type { JsonEdit, JsonPath } from '../json/path.ts';
import { parseStrict } from '../json/strict-parse.ts';
import { providers, type ProviderName } from '../providers/registry.ts';

/** Replacements for the models that a program requests (`--model-override`, `--model-map`). */
export interface ModelChoice {
  /** The model for every request. */
  readonly override: string | undefined;
  /** From the program's model name to the provider's. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Returns false if requests stay as written. */
export function changesModels({ override, aliases }: ModelChoice): boolean {
  return override !== undefined || aliases.size > 0;
}

/** Google's prefix of model names in bodies. */
const GOOGLES = 'models/';

/** Returns the model to request in place of `model`. */
export function chosenModel({ override, aliases }: ModelChoice, model: string): string {
  if (override === undefined && aliases.has(model)) return aliases.get(model) ?? model;
  const prefix = model.startsWith(GOOGLES) ? GOOGLES : '';
  const bare = model.slice(prefix.length);
  const chosen = override ?? aliases.get(bare) ?? bare;
  return chosen.startsWith(prefix) ? chosen : prefix + chosen;
}

/** Returns the path (without query) with the chosen model. */
export function pathWithModel(
  provider: ProviderName,
  path: string,
  choice: ModelChoice,
): { readonly path: string; readonly namesModel: boolean } {
  const [, before, written, behind] = providers[provider].modelInPath?.exec(path) ?? [];
  if (before === undefined || written === undefined || behind === undefined) {
    return { path, namesModel: false };
  }
  const model = decodedSegment(written);
  const chosen = chosenModel(choice, model);
  const name = chosen === model ? written : encodeURIComponent(chosen);
  return { path: before + name + behind, namesModel: true };
}

function decodedSegment(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written; // the gateway refuses it, and says why
  }
}

/**
 * Returns the body with the chosen model; every other byte stays as it was.
 * @throws GatewayError invalid_request unless the body is unambiguous JSON
 */
export function bodyWithModel(body: Buffer, choice: ModelChoice, pathNamesModel: boolean): Buffer {
  const json = parseStrict(body);
  return isObject(json) ? applyEdits(body, editsOf(json, choice, pathNamesModel)) : body;
}

function editsOf(json: JsonObject, choice: ModelChoice, pathNamesModel: boolean): JsonEdit[] {
  const { model, models, requests, generateContentRequest: counted } = json;
  const edits = [...renamed(['model'], model, choice)];
  if (model === undefined && !pathNamesModel && choice.override !== undefined) {
    edits.push({ kind: 'set', path: ['model'], value: choice.override });
  }
  if (isObject(counted))
    edits.push(...renamed(['generateContentRequest', 'model'], counted['model'], choice));
  for (const [index, request] of asList(requests).entries()) {
    if (isObject(request)) edits.push(...renamed(['requests', index, 'model'], request['model'], choice));
  }
  // Fallback models (OpenRouter) are dropped when one model is set.
  if (models !== undefined && choice.override !== undefined) edits.push({ kind: 'remove', path: ['models'] });
  else asList(models).forEach((one, index) => edits.push(...renamed(['models', index], one, choice)));
  return edits;
}

function renamed(path: JsonPath, written: unknown, choice: ModelChoice): JsonEdit[] {
  if (typeof written !== 'string') return [];
  const value = chosenModel(choice, written);
  return value === written ? [] : [{ kind: 'set', path, value }];
}

type JsonObject = Readonly<Record<string, unknown>>;

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the error for a body whose model cannot be replaced. */
export function unreadableModel(why: string): GatewayError {
  return new GatewayError(
    'unsupported_media_type',
    `${why}: --model-override and --model-map need plain JSON to put the model in; run it without them`,
  );
}
