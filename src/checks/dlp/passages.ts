import type { Finding } from '../../detectors/finding.ts';
import { mask } from '../../detectors/mask.ts';
import { readArguments } from './arguments.ts';
import type { ReadArguments } from './arguments.ts';

/** Searches texts, and gives other requests a turn meanwhile. The n-th findings are the n-th text's. */
export type FindAll = (texts: readonly string[]) => Promise<readonly (readonly Finding[])[]>;

/** One thing that was found. Holds its text, so it is neither logged nor kept. */
export interface Found {
  readonly finding: Finding;
  readonly text: string;
}

/** The texts of one body. What is repeated is searched once, so that it is masked alike everywhere. */
export interface Passages {
  /** @param name the member name above it, which may give away what it is: `"aws_secret_access_key": "…"` */
  add(text: string, name?: string): void;
  /** Arguments of a tool: a JSON document in a string. It is one wherever it stands. */
  addArguments(json: string): void;
  /** Once, after everything was added. */
  search(): Promise<void>;
  /** The findings in a text that was added; their offsets are the text's, or those of the arguments as they are read. */
  findingsIn(text: string, name?: string): readonly Finding[];
  /** The text with `***` in place of its findings. */
  masked(text: string, name?: string): string;
  /** Everything that was found, what is repeated once. */
  readonly found: readonly Found[];
}

/** Longer ones are no names. */
const MAX_NAME_CHARS = 64;
const NOTHING: readonly Finding[] = [];

export function createPassages(findAll: FindAll): Passages {
  const findings = new Map<string, readonly Finding[]>();
  /** Length of what was put before a text, by the whole. */
  const contexts = new Map<string, number>();
  const documents = new Map<string, ReadArguments>();
  const found: Found[] = [];

  function findingsIn(text: string, name?: string): readonly Finding[] {
    const searched = documents.get(text)?.text ?? contextOf(name) + text;
    return findings.get(searched) ?? NOTHING;
  }

  /** Findings that begin in the context are those of the name, which is searched by itself. */
  function note(searched: string, all: readonly Finding[]): void {
    const from = contexts.get(searched) ?? 0;
    const inText = all.filter(({ end }) => end > from).map((finding) => movedBack(finding, from));
    findings.set(searched, inText);
    for (const finding of inText) {
      found.push({ finding, text: searched.slice(from + finding.start, from + finding.end) });
    }
  }

  return {
    found,
    add(text, name) {
      const context = contextOf(name);
      const searched = context + text;
      if (documents.has(text) || findings.has(searched)) return;
      findings.set(searched, NOTHING);
      if (context !== '') contexts.set(searched, context.length);
    },
    addArguments(json) {
      if (documents.has(json)) return;
      const document = readArguments(json);
      documents.set(json, document);
      findings.set(document.text, NOTHING);
    },
    async search() {
      const searched = [...findings.keys()];
      const results = await findAll(searched);
      for (const [index, text] of searched.entries()) {
        const all = results[index] ?? NOTHING;
        if (all.length > 0) note(text, all);
      }
    },
    findingsIn,
    masked(text, name) {
      const document = documents.get(text);
      return document === undefined ? mask(text, findingsIn(text, name)) : document.mask(findingsIn(text));
    },
  };
}

/** A member's name as it stands before its value in JSON, which is where the detectors know such names from. */
export function contextOf(name: string | undefined): string {
  return name === undefined || name.length > MAX_NAME_CHARS ? '' : `${name}": "`;
}

function movedBack(finding: Finding, chars: number): Finding {
  if (chars === 0) return finding;
  return { ...finding, start: Math.max(0, finding.start - chars), end: finding.end - chars };
}
