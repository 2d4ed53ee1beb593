import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Endpoint } from './clients-rig.ts';
import type { InstalledClient } from './install.ts';
import { runScript } from './run-script.ts';

/** What a caller sees of one call: what the client gave back, or what it threw. */
export type CallOutcome =
  | { readonly value: unknown }
  | {
      readonly error: {
        /** The class of the exception, as its language names it. */
        readonly type: string;
        /** What a person reads who prints it. */
        readonly message: string;
        /** Where the client tells one. */
        readonly status?: number;
        /** `X-Gateway-Error-Type`, where the client keeps the headers. */
        readonly gatewayType?: string;
      };
    };

/** By name of the call. */
export type CallOutcomes = Readonly<Record<string, CallOutcome>>;

const SCRIPTS = join(import.meta.dirname, '..', '..', 'clients', 'scripts');

/**
 * Runs calls of a script in `test/clients/scripts`. It reads where to go from `BASE_URL`, `API_KEY`, `HEADERS` (JSON)
 * and `PROVIDER_KEY`, and what to call from `CALLS`, and writes a line of JSON a call: its name and outcome.
 */
export async function makeCalls(
  client: InstalledClient,
  script: string,
  endpoint: Endpoint,
  calls: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CallOutcomes> {
  const source = await readScript(script, client);
  const result = await runScript(client, source, {
    goFrame: client.recipe.kind === 'go' ? await readFile(join(SCRIPTS, 'frame.go'), 'utf8') : undefined,
    env: {
      BASE_URL: endpoint.baseUrl,
      API_KEY: endpoint.apiKey,
      HEADERS: JSON.stringify(endpoint.headers),
      PROVIDER_KEY: endpoint.providerKey,
      CALLS: calls.join(' '),
      ...env,
    },
  });
  const outcomes = readOutcomes(result.stdout);
  const absent = calls.filter((call) => !(call in outcomes));
  if (absent.length === 0 && !result.timedOut) return outcomes;
  const how = result.timedOut ? 'was killed at its time limit' : `ended with ${String(result.code)}`;
  throw new Error(`${script} ${how} without ${absent.join(', ')}:\n${result.stderr}${result.stdout}`);
}

/** Python and JavaScript share a frame for each language; that of Go is a file of its own. Major versions have paths. */
async function readScript(name: string, { recipe }: InstalledClient): Promise<string> {
  const own = await readFile(join(SCRIPTS, name), 'utf8');
  if (recipe.kind === 'go') return own.replaceAll('CLIENT_MODULE', recipe.name);
  const extension = name.slice(name.lastIndexOf('.'));
  const frame = await readFile(join(SCRIPTS, `frame${extension}`), 'utf8');
  return frame.replace(PLACE_OF_CALLS, () => own);
}

const PLACE_OF_CALLS = /^.*HERE ARE THE CALLS.*$/m;

function readOutcomes(stdout: string): CallOutcomes {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{"call":'));
  return Object.fromEntries(
    lines.map((line) => {
      const { call, ...outcome } = JSON.parse(line) as { call: string } & CallOutcome;
      return [call, outcome];
    }),
  );
}

/** Names and times that a provider makes up anew for each answer. */
const MADE_UP =
  /^(id|created|created_at|createTime|completed_at|timestamp|responseId|response_id|item_id|generation_id|total_duration|load_duration|prompt_eval_duration|eval_duration)$/;

/** Made-up values replaced by one word, so that two runs can be compared. */
export function withoutMadeUp(outcomes: CallOutcomes): unknown {
  return JSON.parse(
    JSON.stringify(outcomes, (name, value: unknown) =>
      MADE_UP.test(name) && value !== null && value !== undefined ? 'made up' : value,
    ),
  );
}
