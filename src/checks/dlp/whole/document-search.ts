import type { Finding } from '../../../detectors/finding.ts';
import type { JsonPath } from '../../../json/path.ts';
import { MASK } from '../actions.ts';
import { visitDocument } from './document.ts';
import { numberSources } from './number-sources.ts';
import { isOpaque } from '../opaque-members.ts';
import type { Passages } from '../passages.ts';

/** A place in a document that holds findings. */
export interface Hit {
  readonly kind: 'string' | 'number' | 'name';
  /** The string, or the name, with `***` in place of the findings; of a number nothing else is left. */
  readonly masked: string;
  /** Of a name, its member's. */
  readonly path: JsonPath;
  readonly findings: readonly Finding[];
}

export type WordsKind =
  /** Under a member that is named for the dialect. */
  | 'prose'
  /** An argument, or another value, which its name may give away. */
  | 'value'
  /** A JSON document in a string. */
  | 'document';

export interface SearchedDocument {
  /** As `json` was read from, strictly. */
  readonly body: Buffer;
  readonly json: unknown;
  /** Strings that the dialect knows for words, whatever they look like. */
  readonly words: ReadonlyMap<string, WordsKind>;
}

/** Looks at every string, number and member name of a document. */
export interface DocumentSearch {
  /** Adds them to what is to be searched. */
  gather(passages: Passages): Promise<void>;
  /** In document order. */
  hits(passages: Passages): Promise<readonly Hit[]>;
}

/** Shorter numbers are nothing that is looked for. */
const MIN_NUMBER = 1e8;

export function createDocumentSearch({ body, json, words }: SearchedDocument): DocumentSearch {
  /** Of those that are too long for a double, by path. */
  let sources: ReadonlyMap<string, string> = new Map();

  function sourceOf(value: number, path: JsonPath): string {
    const known = sources.size === 0 ? undefined : sources.get(JSON.stringify(path));
    return known ?? String(value);
  }

  const contextName = (text: string, name: string | undefined): string | undefined =>
    words.get(text) === 'prose' ? undefined : name;

  return {
    async gather(passages) {
      const long: JsonPath[] = [];
      for (const [text, kind] of words) if (kind === 'document') passages.addArguments(text);
      await visitDocument(json, {
        string(text, name) {
          if (words.has(text) || !isOpaque(name, text)) passages.add(text, contextName(text, name));
        },
        number(value, name, path) {
          if (Math.abs(value) < MIN_NUMBER) return;
          if (Number.isSafeInteger(value)) passages.add(String(value), name);
          else long.push([...path]);
        },
        memberName: (name) => passages.add(name),
      });
      sources = numberSources(body, long);
      for (const path of long) {
        const name = path.findLast((step) => typeof step === 'string');
        passages.add(sources.get(JSON.stringify(path)) ?? '', name);
      }
    },
    async hits(passages) {
      const hits: Hit[] = [];
      const note = (kind: Hit['kind'], text: string, path: JsonPath, name?: string): void => {
        const findings = passages.findingsIn(text, name);
        if (findings.length === 0) return;
        const masked = kind === 'number' ? MASK : passages.masked(text, name);
        hits.push({ kind, masked, path: [...path], findings });
      };
      await visitDocument(json, {
        string: (text, name, path) => note('string', text, path, contextName(text, name)),
        number(value, name, path) {
          if (Math.abs(value) >= MIN_NUMBER) note('number', sourceOf(value, path), path, name);
        },
        memberName: (name, path) => note('name', name, path),
      });
      return hits;
    },
  };
}
