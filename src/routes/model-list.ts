import { isObject } from '../json/is-object.ts';
import type { JsonEdit } from '../json/path.ts';
import type { TargetApi } from '../providers/api-endpoints.ts';
import type { Provider } from '../providers/registry.ts';

/** Returns the API whose model list is at this provider path, or undefined for other paths. */
export function modelListApi({ basePaths }: Provider, path: string): TargetApi | undefined {
  const { openai, anthropic } = basePaths;
  if (openai !== undefined && path === `${openai}/models`) return 'openai';
  return anthropic !== undefined && path === `${anthropic}/v1/models` ? 'anthropic' : undefined;
}

/** Returns the model and its API for the path of a single model, or undefined for other paths. */
export function requestedModel(
  provider: Provider,
  path: string,
): { readonly api: TargetApi; readonly name: string } | undefined {
  const slash = path.lastIndexOf('/');
  const api = modelListApi(provider, path.slice(0, slash));
  const name = decoded(path.slice(slash + 1));
  return api === undefined || name === undefined ? undefined : { api, name };
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

export function modelList(api: TargetApi, names: readonly string[]): object {
  const data = names.map((name) => modelItem(api, name));
  if (api === 'openai') return { object: 'list', data };
  return { data, has_more: false, first_id: names[0] ?? null, last_id: names.at(-1) ?? null };
}

/** Returns the edits that add names to a provider's model list; none for other documents. */
export function addedToList(api: TargetApi, list: unknown, names: readonly string[]): readonly JsonEdit[] {
  const [at, items] = Array.isArray(list) ? [[], list as unknown[]] : [['data'], dataOf(list)];
  if (items === undefined) return [];
  const known = new Set(items.map((item) => (isObject(item) ? item['id'] : undefined)));
  return names
    .filter((name) => !known.has(name))
    .map((name, index) => ({
      kind: 'set',
      path: [...at, items.length + index],
      value: modelItem(api, name),
    }));
}

function dataOf(list: unknown): unknown[] | undefined {
  const data = isObject(list) ? list['data'] : undefined;
  return Array.isArray(data) ? (data as unknown[]) : undefined;
}

/** Returns a model in the API's format, with a placeholder date. */
export function modelItem(api: TargetApi, id: string): object {
  return api === 'openai'
    ? { id, object: 'model', created: 0, owned_by: 'gateway' }
    : { type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' };
}
