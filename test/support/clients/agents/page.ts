import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { PAGE_GATEWAY, readSnippets, type Snippet } from '../snippets.ts';

/** The reader of a page: their gateway and their two keys. */
export interface Reader {
  /** Without a trailing slash. */
  readonly gatewayUrl: string;
  readonly proxyKey: string;
  readonly providerKey: string;
}

/** A page with its reader's own address and keys filled in. */
export interface AgentPage {
  /** Files under the reader's home, by relative path. */
  readonly files: Readonly<Record<string, string>>;
  /** Pasted into a shell. */
  readonly setUp: string;
  /** Alternatives that are pasted after that. */
  readonly commands: Readonly<Record<PagePart, string>>;
  /** Added to the files for MCP servers. */
  readonly mcpFiles: Readonly<Record<string, string>>;
}

/** The sections with something to run. */
const PARTS = { tryIt: 'Try it', mcp: 'MCP servers', search: 'Web search' } as const;

export type PagePart = keyof typeof PARTS;

/** Placeholders for a proxy key and for the keys of providers. */
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

/** Writes the page's files into a home; MCP additions are merged into JSON, and appended to anything else. */
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
