import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { PAGE_GATEWAY, readSnippets, type Snippet } from '../snippets.ts';

/** Who follows a page: their gateway and their two keys. */
export interface Reader {
  /** Without a slash at its end. */
  readonly gatewayUrl: string;
  readonly proxyKey: string;
  readonly providerKey: string;
}

/** A page as its reader has it before them, with their own address and keys in the place of the page's. */
export interface AgentPage {
  /** Files under the reader's home, by path from there. */
  readonly files: Readonly<Record<string, string>>;
  /** Pasted into a shell. */
  readonly setUp: string;
  /** Pasted after that, one of them. */
  readonly commands: Readonly<Record<PagePart, string>>;
  /** Added to the files for MCP servers. */
  readonly mcpFiles: Readonly<Record<string, string>>;
}

/** The sections with something to run. */
const PARTS = { tryIt: 'Try it', mcp: 'MCP servers', search: 'Web search' } as const;

export type PagePart = keyof typeof PARTS;

/** Stands for a proxy key, and for the keys of the providers. */
const PLACES_OF_KEYS = /(gw-|sk-ant-|sk-|AIza)…/g;

/** A heading such as "Settings in `~/.codex/config.toml`", or "MCP servers in `…`". */
const FILE = /^(.*) in `~\/([^`]+)`$/;

/** Reads a page of an agent: blocks under "Set up", "Try it", "MCP servers", "Web search", and under the names of files. */
export async function readAgentPage(page: string, reader: Reader): Promise<AgentPage> {
  const snippets = await readSnippets(page);
  const filled = (snippet: Snippet): string => fillIn(snippet, reader);
  const shell = (heading: string): string =>
    snippets
      .filter((one) => one.heading === heading && one.language === 'sh')
      .map(filled)
      .join('\n');
  const files = (subject: string): Record<string, string> =>
    Object.fromEntries(
      snippets.flatMap((one) => {
        const [, about, path] = FILE.exec(one.heading) ?? [];
        return about === subject && path !== undefined ? [[path, filled(one)]] : [];
      }),
    );
  const found = {
    files: files('Settings'),
    mcpFiles: files('MCP servers'),
    setUp: shell('Set up'),
    commands: { tryIt: shell(PARTS.tryIt), mcp: shell(PARTS.mcp), search: shell(PARTS.search) },
  };
  if (found.commands.tryIt === '') throw new Error(`${page} has no block under "Try it"`);
  return found;
}

function fillIn({ code }: Snippet, { gatewayUrl, proxyKey, providerKey }: Reader): string {
  return code
    .replaceAll(PAGE_GATEWAY, () => gatewayUrl)
    .replaceAll(PLACES_OF_KEYS, (_, prefix: string) => (prefix === 'gw-' ? proxyKey : providerKey));
}

/** Writes the page's files into a home; what MCP adds is merged into JSON, and put after anything else. */
export async function writeFiles(
  home: string,
  { files, mcpFiles }: AgentPage,
  withMcp: boolean,
): Promise<void> {
  const added = withMcp ? mcpFiles : {};
  for (const path of new Set([...Object.keys(files), ...Object.keys(added)])) {
    const parts = [files[path], added[path]].filter((part) => part !== undefined);
    const text = path.endsWith('.json') ? JSON.stringify(merged(parts.map(parse))) : `${parts.join('\n')}\n`;
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
}

type Settings = Record<string, unknown>;

function parse(text: string): Settings {
  return JSON.parse(text) as Settings;
}

function merged(parts: readonly Settings[]): Settings {
  return Object.assign({}, ...parts) as Settings;
}
