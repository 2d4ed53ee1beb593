import type { JsonPath } from '../../json/path.ts';
import { partsWithin } from '../../inspect/offset-map.ts';
import type { Span } from '../../text/span.ts';

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

/** A text of a message, as a span of its page. */
export interface PageText extends Span {
  /** `blob`: the text of base64. `name`: the name of members. `number`: a number as written. */
  readonly kind: 'value' | 'blob' | 'name' | 'number';
  readonly text: string;
  /** One place, except for names, which are searched once. */
  readonly places: readonly TextPlace[];
}

/** Many texts joined, to be searched at once. */
export interface Page {
  readonly text: string;
  /** In order of `start`, without overlaps. */
  readonly texts: readonly PageText[];
}

/** A span of one of the texts. */
export interface TextSpan extends Span {
  readonly pageText: PageText;
}

export class PageWriter {
  readonly #parts: string[] = [];
  readonly #texts: PageText[] = [];
  #length = 0;

  add(pageText: Omit<PageText, keyof Span>, before: string, after: string): void {
    const start = this.#length + before.length;
    this.#texts.push({ ...pageText, start, end: start + pageText.text.length });
    this.#parts.push(before, pageText.text, after);
    this.#length += before.length + pageText.text.length + after.length;
  }

  page(): Page {
    return { text: this.#parts.join(''), texts: this.#texts };
  }
}

/** Returns the spans of texts that a span of the page covers; separators have none. */
export function spansOf({ texts }: Page, span: Span): readonly TextSpan[] {
  return partsWithin(texts, span).map(({ part, span: within }) => ({ pageText: part, ...within }));
}
