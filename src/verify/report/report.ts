import type { TraceFinding } from '../finding.ts';
import type { Summary, Unreadable } from '../summary.ts';

export const REPORT_FORMATS = ['table', 'json', 'sarif', 'junit'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface Report {
  begin(): string;
  finding(finding: TraceFinding): string;
  unreadable(unreadable: Unreadable): string;
  end(summary: Summary): string;
}

/** Maximum number of listed masks, and of listed unreadable elements. */
const MAX_LISTED = 1_000;

export class Listed<Item> {
  readonly items: Item[] = [];

  add(item: Item): void {
    if (this.items.length < MAX_LISTED) this.items.push(item);
  }
}

/** A JSON array, written with one element per line as elements arrive. */
export class JsonList {
  #separator = '\n';

  add(json: string): string {
    const written = this.#separator + json;
    this.#separator = ',\n';
    return written;
  }

  end(): string {
    return this.#separator === '\n' ? ']' : '\n]';
  }
}

/** Returns `<server>/<tool>` for tools and `<provider>/<model>` for models. */
export function calledName({ tool, provider, model }: TraceFinding): string {
  const called = tool === '' ? model : tool;
  return [provider, called].filter((part) => part !== '').join('/');
}

export function ruleCount({ file, rules }: { readonly file: string; readonly rules: number }): string {
  return `${file}: ${countedNoun(rules, 'rule')}`;
}

export function countedNoun(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
