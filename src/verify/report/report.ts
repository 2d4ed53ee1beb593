import type { TraceFinding } from '../finding.ts';
import type { Summary, Unreadable } from '../summary.ts';

export const REPORT_FORMATS = ['table', 'json', 'sarif', 'junit'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Writes a report as it comes about; each piece is printed as it is, one after the other. */
export interface Report {
  begin(): string;
  finding(finding: TraceFinding): string;
  unreadable(unreadable: Unreadable): string;
  end(summary: Summary): string;
}

/** What is not a violation, and what could not be read, is listed up to so many; all are counted. */
const MAX_LISTED = 1_000;

/** Items that are listed at the end of a report. */
export class Listed<Item> {
  readonly items: Item[] = [];

  add(item: Item): void {
    if (this.items.length < MAX_LISTED) this.items.push(item);
  }
}

/** Elements of a list in JSON that are written as they come, each on a line of its own. */
export class WrittenList {
  #separator = '\n';

  /** What is written for an element, behind the list's opening bracket and the elements before it. */
  add(json: string): string {
    const written = this.#separator + json;
    this.#separator = ',\n';
    return written;
  }

  end(): string {
    return this.#separator === '\n' ? ']' : '\n]';
  }
}

/** What a step is called: a tool of a server, or a model of a provider. */
export function calledName({ tool, provider, model }: TraceFinding): string {
  const what = tool === '' ? model : tool;
  return [provider, what].filter((part) => part !== '').join('/');
}

/** A file or preset with the number of its rules. */
export function ruleCount({ file, rules }: { readonly file: string; readonly rules: number }): string {
  return `${file}: ${countedNoun(rules, 'rule')}`;
}

export function countedNoun(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}
