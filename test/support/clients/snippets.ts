import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A fenced block of a page, which a reader copies. */
export interface Snippet {
  /** The nearest heading above it. */
  readonly heading: string;
  /** `python`, `js`, `go`, `sh`, `toml`, `json` …; empty if the fence names none. */
  readonly language: string;
  readonly code: string;
  /** Line of its opening fence, counted from 1. */
  readonly line: number;
}

/** The pages' placeholder for the reader's gateway. */
export const PAGE_GATEWAY = 'https://gateway.example';

const PAGES = join(import.meta.dirname, '..', '..', '..', 'docs', 'clients');

/** All blocks of a page of `docs/clients`, from top to bottom. */
export async function readSnippets(page: string): Promise<readonly Snippet[]> {
  const text = await readFile(join(PAGES, page), 'utf8');
  const snippets: Snippet[] = [];
  let heading = '';
  let open: { language: string; line: number; code: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (open !== undefined) {
      if (line === '```') {
        snippets.push({ heading, language: open.language, code: open.code.join('\n'), line: open.line });
        open = undefined;
      } else open.code.push(line);
    } else if (line.startsWith('```')) {
      open = { language: line.slice(3).trim(), line: index + 1, code: [] };
    } else if (line.startsWith('#')) heading = line.replace(/^#+ /, '');
  }
  if (open !== undefined) throw new Error(`${page}:${String(open.line)}: the block is not closed`);
  return snippets;
}

/** Returns the code block of a language under a heading. Fails unless there is exactly one. */
export async function readSnippet(page: string, heading: string, language: string): Promise<Snippet> {
  const found = (await readSnippets(page)).filter(
    (one) => one.heading === heading && one.language === language,
  );
  const [snippet] = found;
  if (snippet !== undefined && found.length === 1) return snippet;
  throw new Error(`${page}: ${String(found.length)} blocks of ${language} under "${heading}", one is wanted`);
}

/** The block with the address of its reader's gateway. Nothing else is changed. */
export function filledIn({ code }: Snippet, gatewayUrl: string): string {
  return code.replaceAll(PAGE_GATEWAY, gatewayUrl);
}
