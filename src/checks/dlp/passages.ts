import type { Finding } from '../../detectors/finding.ts';

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
  /** Once, after everything was added. */
  search(): Promise<void>;
  /** The findings in a text that was added; their offsets are the text's. */
  findingsIn(text: string, name?: string): readonly Finding[];
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
  const found: Found[] = [];
  return {
    found,
    add(text, name) {
      const context = contextOf(name);
      const whole = context + text;
      if (findings.has(whole)) return;
      findings.set(whole, NOTHING);
      if (context !== '') contexts.set(whole, context.length);
    },
    async search() {
      const wholes = [...findings.keys()];
      const results = await findAll(wholes);
      for (const [index, whole] of wholes.entries()) {
        const inWhole = results[index] ?? NOTHING;
        if (inWhole.length === 0) continue;
        const from = contexts.get(whole) ?? 0;
        const inText = inWhole.filter(({ end }) => end > from).map((finding) => movedBack(finding, from));
        findings.set(whole, inText);
        for (const finding of inText) {
          found.push({ finding, text: whole.slice(from + finding.start, from + finding.end) });
        }
      }
    },
    findingsIn: (text, name) => findings.get(contextOf(name) + text) ?? NOTHING,
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
