import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { startGuard } from '../../../src/runtime/guard.ts';
import { freePort } from '../ports.ts';
import { installClient } from './install.ts';
import { npm } from './recipe.ts';

/** A mock of most providers that is not ours: what it says has not been shaped by what we expect. */
const AIMOCK = npm('@copilotkit/aimock', '1.43.0');

/** A rule of aimock's: the first whose `match` fits gives the answer. */
export interface AimockFixture {
  readonly match: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>>;
}

/** A request as aimock took it down. */
export interface AimockRequest {
  readonly method: string;
  readonly path: string;
  /** Credentials masked. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Aimock {
  /** Without a slash at its end. */
  readonly url: string;
  /** What has come so far, oldest first. */
  requests(): Promise<readonly AimockRequest[]>;
  close(): Promise<void>;
}

export const MOCK_TEXT = 'Grüße aus Zürich: “quotes”, a \\backslash, {braces} and 🙂 in some sixty letters.';
export const MOCK_AFTER_TOOL = 'It is 21 °C in Zürich.';
export const MOCK_TOOL = { name: 'get_weather', arguments: { city: 'Zürich' } } as const;

/** Who speaks of the weather gets a call of the tool, and after its result a sentence; all others get the text. */
export const STANDARD_FIXTURES: readonly AimockFixture[] = [
  {
    match: { userMessage: 'weather', hasToolResult: false },
    response: { toolCalls: [{ ...MOCK_TOOL, id: 'call_0123456789abcdefABCDEF' }] },
  },
  { match: { hasToolResult: true }, response: { content: MOCK_AFTER_TOOL } },
  { match: { endpoint: 'chat' }, response: { content: MOCK_TEXT } },
];

const START_WITHIN_MS = 20_000;

/** Starts aimock on a free port, as a process of its own. */
export async function startAimock(fixtures: readonly AimockFixture[] = STANDARD_FIXTURES): Promise<Aimock> {
  const { home } = await installClient(AIMOCK);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'gw-aimock-'));
  const file = join(folder, 'fixtures.json');
  await writeFile(file, JSON.stringify({ fixtures }));
  const cli = join(home, 'node_modules', '@copilotkit', 'aimock', 'dist', 'cli.js');
  const args = [cli, '--port', String(port), '--fixtures', file, '--log-level', 'warn', '--validate-on-load'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
  // Ends it where the tests are killed before they can.
  const guard = startGuard();
  guard.watchDirectory(folder);
  if (child.pid !== undefined) guard.watch(child.pid);
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk));
  const url = `http://127.0.0.1:${String(port)}`;
  const close = async (): Promise<void> => {
    if (child.exitCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    guard.release();
    await rm(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + START_WITHIN_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await close();
      throw new Error(`aimock does not start:\n${Buffer.concat(said).toString()}`);
    }
    await delay(50);
  }
  return {
    url,
    requests: async () => (await (await fetch(`${url}/__aimock/journal`)).json()) as AimockRequest[],
    close,
  };
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/__aimock/journal`).then(
    ({ ok }) => ok,
    () => false,
  );
}
