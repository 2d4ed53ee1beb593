import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { freePort } from '../ports.ts';
import { installClient, type InstalledClient } from './install.ts';
import { go } from './recipe.ts';
import { inTemporaryFolder, runProgram } from './run-program.ts';
import { clientProgram } from './run-script.ts';
import { startServerProgram, type ServerProgram } from './server-program.ts';

/** The server for tests with the Go SDK: of the published ones, it has everything that the suite needs. */
const EVERYTHING_SERVER = go(
  'github.com/modelcontextprotocol/go-sdk/conformance/everything-server',
  'v1.8.0',
);

/** `sessions`: of 2025-03-26 to 2025-11-25; `stateless`: of 2026-07-28. */
export type Era = 'sessions' | 'stateless';

/** Starts the server, on a free port. */
export async function startEverythingServer(era: Era): Promise<ServerProgram & { readonly url: string }> {
  const { home } = await installClient(EVERYTHING_SERVER);
  const address = `127.0.0.1:${String(await freePort())}`;
  const url = `http://${address}/`;
  const args = ['-http', address, `-stateless=${String(era === 'stateless')}`];
  const program = await startServerProgram(join(home, 'everything-server'), args, {
    name: 'everything-server',
    url,
  });
  return { ...program, url };
}

/** `SUCCESS`, `FAILURE`, `WARNING`, `SKIPPED` or `INFO`, by scenario, place in it and id of the check. */
export type Checks = Readonly<Record<string, string>>;

const SUITE_WITHIN_MS = 240_000;
/** `server-tools-list-2026-11-22T20-28-34-955Z` */
const RESULT_FOLDER = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/;

/** Runs every scenario of the suite for servers of a specification, or all of them if none is named. */
export function runConformanceSuite(
  suite: InstalledClient,
  url: string,
  specification?: string,
): Promise<Checks> {
  return inTemporaryFolder(async (cwd) => {
    const version = specification === undefined ? [] : ['--spec-version', specification];
    const args = ['server', '--url', url, '--suite', 'all', '--output-dir', 'results', ...version];
    const program = clientProgram(suite, 'conformance');
    const result = await runProgram(program, args, { cwd, timeoutMs: SUITE_WITHIN_MS });
    const checks = await readChecks(join(cwd, 'results'));
    if (!result.timedOut && Object.keys(checks).length > 0) return checks;
    throw new Error(`the conformance suite did not come to its end:\n${result.stderr}${result.stdout}`);
  });
}

async function readChecks(folder: string): Promise<Checks> {
  const checks: Record<string, string> = {};
  for (const name of (await readdir(folder)).sort()) {
    const scenario = RESULT_FOLDER.exec(name)?.[1] ?? name;
    const file = await readFile(join(folder, name, 'checks.json'), 'utf8');
    const found = JSON.parse(file) as readonly { readonly id: string; readonly status: string }[];
    for (const [index, { id, status }] of found.entries()) {
      checks[`${scenario} ${String(index + 1)} ${id}`] = status;
    }
  }
  return checks;
}
