import type { JsonPath } from '../../json/path.ts';
import { lastIndexUpTo } from '../../text/ascending.ts';

/** A JSON document: the message itself, or one in a string of another. */
export interface Doc {
  readonly root: unknown;
  /** Its place and text in the outer document; undefined for the message. */
  readonly within: (TextPlace & { readonly text: string }) | undefined;
  /** 0 for the message, at most `MAX_DOC_DEPTH`. */
  readonly depth: number;
}

/** JSON in a string of JSON in a string; deeper documents are read as text. */
export const MAX_DOC_DEPTH = 3;

/** A string of a document, or the member that it names. */
export interface TextPlace {
  readonly doc: Doc;
  readonly path: JsonPath;
}

/** A text of a message. */
export interface PageText {
  /** `blob`: the text of base64. `name`: the name of members. `number`: a number as written. */
  readonly kind: 'value' | 'blob' | 'name' | 'number';
  readonly text: string;
  /** One place, except for names, which are searched once. */
  readonly places: readonly TextPlace[];
  /** UTF-16 units of the page. */
  readonly start: number;
}

/** Many texts joined, to be searched at once. */
export interface Page {
  readonly text: string;
  /** In order of `start`, without overlaps. */
  readonly texts: readonly PageText[];
}

/** A span of one of the texts, in UTF-16 units of the text. */
export interface TextSpan {
  readonly pageText: PageText;
  readonly start: number;
  readonly end: number;
}

export class PageWriter {
  readonly #parts: string[] = [];
  readonly #texts: PageText[] = [];
  #length = 0;

  add(pageText: Omit<PageText, 'start'>, before: string, after: string): void {
    this.#texts.push({ ...pageText, start: this.#length + before.length });
    this.#parts.push(before, pageText.text, after);
    this.#length += before.length + pageText.text.length + after.length;
  }

  page(): Page {
    return { text: this.#parts.join(''), texts: this.#texts };
  }
}

/** Returns the spans of texts that a span of the page covers; separators have none. */
export function spansOf({ texts }: Page, start: number, end: number): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  const first = lastIndexUpTo(texts.length, (index) => texts[index]?.start ?? 0, start);
  for (let at = Math.max(0, first); at < texts.length; at += 1) {
    const pageText = texts[at];
    if (pageText === undefined || pageText.start >= end) break;
    const from = Math.max(0, start - pageText.start);
    const to = Math.min(pageText.text.length, end - pageText.start);
    if (from < to) spans.push({ pageText, start: from, end: to });
  }
  return spans;
}
