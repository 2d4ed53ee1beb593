import { isObject } from '../../json/is-object.ts';
import { valueAt } from '../../json/path.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { ObjectNames } from '../../providers/descriptor.ts';
import { ownId, type ObjectsWanted } from '../../providers/objects-in-answers.ts';
import { objectsInCarried, objectsInTexts } from '../../providers/objects-in-texts.ts';
import { namedObjects, type NamedObject } from '../../providers/stored-objects.ts';
import { after, inTurns, type Awaitable } from '../../turns.ts';

export function objectsInBody({
  json,
  edits,
  endpoint,
  request,
  provider,
}: Parsed): Awaitable<readonly NamedObject[]> {
  const names = namesOf({ provider });
  const isUnknown = endpoint.operation === 'unknown';
  const isBytes = isUnknown && Array.isArray(json['body']) && request.texts[0]?.editable === false;
  if (isBytes) {
    const texts = request.texts.map(({ text }) => text);
    return inTurns(objectsInTexts(texts, names));
  }
  const removed = new Set(
    edits.filter(({ kind }) => kind === 'remove').map(({ path }) => JSON.stringify(path)),
  );
  const isRemoved = (path: readonly (string | number)[]): boolean =>
    removed.size > 0 && removed.has(JSON.stringify(path));
  const named = inTurns(namedObjects(json, { isUnknown, names, isRemoved }));
  // Bedrock's token counting takes the request in Base64.
  const carried = valueAt(json, ['input', 'invokeModel', 'body']);
  if (typeof carried !== 'string') return named;
  return after(named, (found) =>
    after(inTurns(objectsInCarried(Buffer.from(carried, 'base64').toString('utf8'), names)), (inside) => [
      ...found,
      ...inside,
    ]),
  );
}

/** Returns which objects in the answer later requests may refer to. `store: false` stores nothing. */
export function keptOf({ endpoint, json }: Parsed): ObjectsWanted {
  if (endpoint.operation === 'unknown') return 'outside_lists';
  if (endpoint.operation === 'responses') return json['store'] === false ? 'references' : 'all';
  // With an answer's id, Anthropic compares requests (`diagnostics`) or continues them (`thread`).
  const isStored =
    json['store'] === true ||
    json['deferred'] === true ||
    isObject(json['thread']) ||
    isObject(json['diagnostics']);
  return isStored ? 'all' : 'references';
}

export function namesOf({ provider }: Pick<Parsed, 'provider'>): ObjectNames {
  return provider.objects ?? {};
}

export function isUnknownGet({ method, endpoint }: Parsed): boolean {
  return method === 'GET' && endpoint.operation === 'unknown';
}

/** File content can be any JSON, into which the client may have written another key's id. */
export function wantedOfGet({ path, provider }: Parsed, document: unknown): ObjectsWanted | undefined {
  // Cohere wraps the object: `{"batch": {"id": …}}`.
  const objects = isObject(document) ? [document, ...Object.values(document)] : [];
  const ids = objects.map((object) => ownId(object, namesOf({ provider })));
  if (ids.some((id) => id !== undefined && path.endsWith(`/${id}`))) return 'outside_lists';
  return path.endsWith('/files') ? 'all' : undefined;
}

/** Decides without parsing the document, because few answers contain references. */
export function mayRefer(text: Buffer | string): boolean {
  return ['_id"', '"audio"', '"container"', '"resp_'].some((mark) => text.includes(mark));
}
