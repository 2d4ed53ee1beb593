import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { PAGE_GATEWAY, readSnippets } from '../snippets.ts';
import type { Snippet } from '../snippets.ts';

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
  readonly tryIt: string;
  /** What is added for MCP servers: to the files, and pasted into the shell in place of `tryIt`. */
  readonly mcp: { readonly files: Readonly<Record<string, string>>; readonly tryIt: string };
}

/** Stands for a proxy key, and for the keys of the providers. */
const PLACES_OF_KEYS = /(gw-|sk-ant-|sk-|AIza)…/g;

/** A heading such as "Settings in `~/.codex/config.toml`", or "MCP servers in `…`". */
const FILE = /^(.*) in `~\/([^`]+)`$/;

/** Reads a page of an agent: blocks under "Set up", "Try it", "MCP servers", and under the names of files. */
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
    setUp: shell('Set up'),
    tryIt: shell('Try it'),
    mcp: { files: files('MCP servers'), tryIt: shell('MCP servers') },
  };
  if (found.tryIt === '') throw new Error(`${page} has no block under "Try it"`);
  return found;
}

function fillIn({ code }: Snippet, { gatewayUrl, proxyKey, providerKey }: Reader): string {
  return code
    .replaceAll(PAGE_GATEWAY, () => gatewayUrl)
    .replaceAll(PLACES_OF_KEYS, (_, prefix: string) => (prefix === 'gw-' ? proxyKey : providerKey));
}

/** Writes the page's files into a home; what MCP adds is merged into JSON, and put after anything else. */
export async function writeFiles(home: string, { files, mcp }: AgentPage, withMcp: boolean): Promise<void> {
  const added = withMcp ? mcp.files : {};
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
