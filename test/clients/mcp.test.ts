import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { makeCalls } from '../support/clients/calls.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import type { ClientRecipe } from '../support/clients/recipe.ts';
import { runScript } from '../support/clients/run-script.ts';
import { filledIn, readSnippet, readSnippets } from '../support/clients/snippets.ts';
import { startMcpRig, type McpRig } from '../support/mcp-rig.ts';
import { CLIENTS } from './versions.ts';

const PAGE = 'mcp.md';
const LANGUAGES = { npm: 'js', pypi: 'python', go: 'go' } as const;

/** Each heading of the page, and the clients for its block. */
const ROWS: Readonly<Record<string, readonly ClientRecipe[]>> = {
  TypeScript: CLIENTS.mcpJs,
  Python: CLIENTS.mcpPython2,
  'Python, version 1': CLIENTS.mcpPython1,
  Go: CLIENTS.mcpGo,
};

const DENIED = /tool \[say\] blocked/;

describe('the examples on the MCP page', () => {
  let rig: McpRig<'files'>;
  beforeAll(async () => {
    rig = await startMcpRig({ files: { era: 'sessions' } });
  });
  afterAll(() => rig.close());

  it('are all run here', async () => {
    const shown = await readSnippets(PAGE);
    expect(shown.map(({ heading }) => heading).sort()).toEqual(Object.keys(ROWS).sort());
  });

  for (const [heading, clients] of Object.entries(ROWS)) {
    for (const client of clients) {
      describeClient(client, (installed) => {
        async function run(rawKey: string) {
          const snippet = await readSnippet(PAGE, heading, LANGUAGES[client.kind]);
          const source = filledIn(snippet, rig.gateway.baseUrl);
          return runScript(installed(), source, { env: { GATEWAY_KEY: rawKey } });
        }

        it('list the tools of a server', async () => {
          const { rawKey } = await rig.access('files');
          const result = await run(rawKey);
          expect(result.stdout, result.stderr).toContain('echo');
        });

        it('end with an error, soon, if the key is unknown', async () => {
          const begun = performance.now();
          const result = await run('gw-0123456789012345678901234567890123456789012');
          expect(result.code).not.toBe(0);
          expect(result.stderr).toMatch(/401|Unauthorized|proxy key/u);
          expect(performance.now() - begun).toBeLessThan(60_000);
        });
      });
    }
  }

  for (const [clients, script] of [
    [CLIENTS.mcpJs, 'mcp.mjs'],
    [CLIENTS.mcpPython1, 'mcp.py'],
  ] as const) {
    for (const client of clients) {
      describeClient(client, (installed) => {
        it('begin, list, call, and learn why a call is denied', async () => {
          const { rawKey, url } = await rig.access('files', { key: { allowedTools: ['echo'] } });
          const endpoint = { baseUrl: url.href, apiKey: rawKey, headers: {}, providerKey: '' };
          const outcomes = await makeCalls(installed(), script, endpoint, [
            'initialize',
            'list',
            'call',
            'denied',
          ]);
          expect(outcomes).toEqual({
            initialize: { value: 'test-server' },
            list: { value: ['echo'] },
            call: { value: [{ type: 'text', text: 'say something' }] },
            denied: {
              error: { type: 'McpError', message: expect.stringMatching(DENIED) as string },
            },
          });
        });
      });
    }
  }
});
