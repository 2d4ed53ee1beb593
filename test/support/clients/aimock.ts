import { join } from 'node:path';

import { freePort } from '../ports.ts';
import { installClient } from './install.ts';
import { npm } from './recipe.ts';
import { startServerProgram } from './server-program.ts';

/** A third-party mock of most providers, whose answers are not shaped by our expectations. */
const AIMOCK = npm('@copilotkit/aimock', '1.43.0');

/** A rule of aimock: the first with a fitting `match` gives the answer. */
export interface AimockFixture {
  readonly match: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>>;
}

/** A request as recorded by aimock. */
export interface AimockRequest {
  readonly method: string;
  readonly path: string;
  /** Credentials masked. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Aimock {
  /** Without a trailing slash. */
  readonly url: string;
  /** Requests so far, oldest first. */
  requests(): Promise<readonly AimockRequest[]>;
  readonly close: () => Promise<void>;
}

export const MOCK_TEXT = 'Grüße aus Zürich: “quotes”, a \\backslash, {braces} and 🙂 in some sixty letters.';
const MOCK_AFTER_TOOL = 'It is 21 °C in Zürich.';
export const MOCK_TOOL = { name: 'get_weather', arguments: { city: 'Zürich' } } as const;

/** Questions about the weather get a tool call, and after its result a sentence; all others get the text. */
const STANDARD_FIXTURES: readonly AimockFixture[] = [
  {
    match: { userMessage: 'weather', hasToolResult: false },
    response: { toolCalls: [{ ...MOCK_TOOL, id: 'call_0123456789abcdefABCDEF' }] },
  },
  { match: { hasToolResult: true }, response: { content: MOCK_AFTER_TOOL } },
  { match: { endpoint: 'chat' }, response: { content: MOCK_TEXT } },
];

const FIXTURES_FILE = 'fixtures.json';

/** Starts aimock on a free port, in its own process. */
export async function startAimock(fixtures: readonly AimockFixture[] = STANDARD_FIXTURES): Promise<Aimock> {
  const { home } = await installClient(AIMOCK);
  const port = await freePort();
  const cli = join(home, 'node_modules', '@copilotkit', 'aimock', 'dist', 'cli.js');
  const url = `http://127.0.0.1:${String(port)}`;
  const quiet = ['--log-level', 'warn', '--validate-on-load'];
  const args = [cli, '--port', String(port), '--fixtures', FIXTURES_FILE, ...quiet];
  const program = await startServerProgram(process.execPath, args, {
    name: 'aimock',
    url: `${url}/__aimock/journal`,
    files: { [FIXTURES_FILE]: JSON.stringify({ fixtures }) },
  });
  return {
    url,
    requests: async () => (await (await fetch(`${url}/__aimock/journal`)).json()) as AimockRequest[],
    close: program.close,
  };
}
