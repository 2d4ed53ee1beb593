import type { Finding } from '../../../detectors/finding.ts';
import type { JsonPath } from '../../../json/path.ts';
import { writtenNumbers } from '../../../json/written-numbers.ts';
import type { WrittenNumber } from '../../../json/written-numbers.ts';
import { TextMap } from '../../../text/text-map.ts';
import { isTurnOver, ITEM_CHARS, nextTurn } from '../../../turns.ts';
import { MASK } from '../actions.ts';
import { visitDocument } from './document.ts';
import { MaskedPlaces } from '../masked-places.ts';
import type { Side } from '../masked-places.ts';
import { isOpaque } from '../opaque-members.ts';
import type { ScanBatch } from '../scan-batch.ts';

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

/** By text: where one stands twice, as what it was told for last. */
export class Words {
  readonly #kinds = new TextMap<WordsKind>();
  readonly #documents: string[] = [];

  set(text: string, kind: WordsKind): void {
    this.#kinds.set(text, kind);
    if (kind === 'document') this.#documents.push(text);
  }

  get(text: string): WordsKind | undefined {
    return this.#kinds.get(text);
  }

  *documents(): Generator<string> {
    for (const text of this.#documents) if (this.get(text) === 'document') yield text;
  }
}

export interface SearchedDocument {
  /** As `json` was read from, strictly. */
  readonly body: Buffer;
  readonly json: unknown;
  /** Strings that the dialect knows for words, whatever they look like. */
  readonly words: Words;
  /** Places of strings that are left alone, by `pathKey`. */
  readonly unsearched?: ReadonlySet<string>;
  /** Which places are looked at; all unless told. */
  readonly looksAt?: (place: Place) => boolean;
  readonly side: Side;
}

/** Of something in a document that can carry words. */
export interface Place {
  readonly kind: Hit['kind'];
  /** As it is read; of a number, as it is written. */
  readonly text: string;
  /** Only lent. */
  readonly path: JsonPath;
}

/** Looks at the strings, numbers and member names of a document. */
export interface DocumentSearch {
  /** Adds them to what is to be searched. */
  gather(batch: ScanBatch): Promise<void>;
  /**
   * In document order, with the numbers that are too long for a double at the end.
   * @throws GatewayError invalid_request, upstream_unavailable where there are too many
   */
  hits(batch: ScanBatch): Promise<readonly Hit[]>;
}

export function pathKey(path: JsonPath): string {
  return JSON.stringify(path);
}

const NOWHERE: ReadonlySet<string> = new Set();
const EVERYWHERE = (): boolean => true;

/** Shorter numbers are nothing that is looked for. */
const MIN_NUMBER = 1e8;

/** The parsed value of such a one has lost digits: it is looked for as it is written. */
export function isLong(value: number): boolean {
  return Math.abs(value) >= MIN_NUMBER && !Number.isSafeInteger(value);
}

async function visitLong(body: Buffer, visit: (number: WrittenNumber) => void): Promise<void> {
  for (const number of writtenNumbers(body)) {
    if (number === undefined) {
      if (isTurnOver()) await nextTurn();
    } else if (isLong(Number(number.source))) visit(number);
  }
}

export function createDocumentSearch(searched: SearchedDocument): DocumentSearch {
  const { body, json, words, unsearched = NOWHERE, looksAt = EVERYWHERE, side } = searched;
  const isLeftAlone = (path: JsonPath): boolean => unsearched.size > 0 && unsearched.has(pathKey(path));
  const isRead = (kind: Hit['kind'], text: string, path: JsonPath): boolean =>
    looksAt === EVERYWHERE || looksAt({ kind, text, path });
  let hasLongNumbers = false;

  const contextName = (text: string, name: string | undefined): string | undefined =>
    words.get(text) === 'prose' ? undefined : name;

  return {
    async gather(batch) {
      for (const text of words.documents()) {
        await batch.addArguments(text);
        if (isTurnOver(ITEM_CHARS)) await nextTurn();
      }
      await visitDocument(json, {
        string(text, name, path) {
          if (isLeftAlone(path) || !isRead('string', text, path)) return;
          if (words.get(text) !== undefined || !isOpaque(name, text))
            batch.add(text, contextName(text, name));
        },
        number(value, name, path) {
          if (Math.abs(value) < MIN_NUMBER) return;
          if (!Number.isSafeInteger(value)) hasLongNumbers = true;
          else if (isRead('number', String(value), path)) batch.add(String(value), name);
        },
        memberName(name, path) {
          if (isRead('name', name, path)) batch.add(name);
        },
      });
      if (!hasLongNumbers) return;
      await visitLong(body, ({ source, name, path }) => {
        if (looksAt === EVERYWHERE || isRead('number', source, path())) batch.add(source, name);
      });
    },
    async hits(batch) {
      const hits: Hit[] = [];
      const places = new MaskedPlaces(side);
      function note(kind: Hit['kind'], text: string, path: JsonPath, name?: string): void {
        if (!isRead(kind, text, path)) return;
        const findings = batch.findingsIn(text, name);
        if (findings.length === 0) return;
        places.add(path);
        const masked = kind === 'number' ? MASK : batch.masked(text, name);
        hits.push({ kind, masked, path: [...path], findings });
      }
      await visitDocument(json, {
        string(text, name, path) {
          if (!isLeftAlone(path)) note('string', text, path, contextName(text, name));
        },
        number(value, name, path) {
          if (Math.abs(value) >= MIN_NUMBER && !isLong(value)) note('number', String(value), path, name);
        },
        memberName: (name, path) => note('name', name, path),
      });
      if (!hasLongNumbers) return hits;
      await visitLong(body, ({ source, name, path }) => {
        if (batch.findingsIn(source, name).length > 0) note('number', source, path(), name);
      });
      return hits;
    },
  };
}
