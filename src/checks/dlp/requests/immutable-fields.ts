import { valueAt } from '../../../json/edited-view.ts';
import type { JsonPath } from '../../../json/path.ts';
import type { Parsed } from '../../../pipeline/exchange.ts';
import { ITEM_CHARS } from '../../../turns.ts';
import type { Work } from '../../../turns.ts';

/** What of a request is looked at, and may not be changed. */
export interface ImmutableFields {
  /** True for a value whose change would break the request, or make another one of it. */
  has(path: JsonPath): boolean;
  /** Texts that stand in the body in another form: files in base64. */
  readonly encoded: readonly string[];
}

/** Members that say who answers, or what an answer belongs to. */
const SEALED = [['model'], ['id'], ['method'], ['jsonrpc']].map(key);

export function* immutableFieldsOf({ json, request }: Parsed): Work<ImmutableFields> {
  const sealed = new Set(SEALED);
  const encoded: string[] = [];
  for (const { text, path, editable } of request.texts) {
    yield ITEM_CHARS;
    if (editable !== false) continue;
    const value = valueAt(json, path);
    // Else it is the names and numbers of an object, each of which is come upon where it stands.
    if (typeof value !== 'string') continue;
    sealed.add(key(path));
    if (value !== text) encoded.push(text);
  }
  return { has: (path) => sealed.has(key(path)), encoded };
}

function key(path: JsonPath): string {
  return JSON.stringify(path);
}
