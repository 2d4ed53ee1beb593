import { isObject } from '../json/is-object.ts';
import { GatewayError } from '../errors.ts';
import { applyEdits } from '../json/edit.ts';
import type { JsonEdit, JsonPath } from '../json/path.ts';
import { parseStrict } from '../json/strict-parse.ts';
import { providers, type ProviderName } from '../providers/registry.ts';

/** Replacements for the models that a program requests (`--model-override`, `--model-map`). */
export interface ModelChoice {
  readonly override: string | undefined;
  /** Maps the model names of the program to those of the provider. */
  readonly aliases: ReadonlyMap<string, string>;
}

export function changesModels({ override, aliases }: ModelChoice): boolean {
  return override !== undefined || aliases.size > 0;
}

/** Prefix of model names in Gemini request bodies. */
const GOOGLE_PREFIX = 'models/';

export function chosenModel({ override, aliases }: ModelChoice, model: string): string {
  if (override === undefined && aliases.has(model)) return aliases.get(model) ?? model;
  const prefix = model.startsWith(GOOGLE_PREFIX) ? GOOGLE_PREFIX : '';
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
  const [, before, segment, behind] = providers[provider].modelInPath?.exec(path) ?? [];
  if (before === undefined || segment === undefined || behind === undefined) {
    return { path, namesModel: false };
  }
  const model = decodedSegment(segment);
  const chosen = chosenModel(choice, model);
  const name = chosen === model ? segment : encodeURIComponent(chosen);
  return { path: before + name + behind, namesModel: true };
}

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // the gateway refuses it with a reason
  }
}

/**
 * Returns the body with the chosen models and every other byte unchanged.
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
  // An override drops fallback models (OpenRouter).
  if (models !== undefined && choice.override !== undefined) edits.push({ kind: 'remove', path: ['models'] });
  else asList(models).forEach((name, index) => edits.push(...renamed(['models', index], name, choice)));
  return edits;
}

function renamed(path: JsonPath, model: unknown, choice: ModelChoice): JsonEdit[] {
  if (typeof model !== 'string') return [];
  const value = chosenModel(choice, model);
  return value === model ? [] : [{ kind: 'set', path, value }];
}

type JsonObject = Readonly<Record<string, unknown>>;

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function unreadableModel(why: string): GatewayError {
  return new GatewayError(
    'unsupported_media_type',
    `${why}: --model-override and --model-map need a plain JSON body. Run the program without them`,
  );
}
