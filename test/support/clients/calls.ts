import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Endpoint } from './clients-rig.ts';
import type { InstalledClient } from './install.ts';
import { runScript } from './run-script.ts';

/** The result of one call for its caller: the client's return value, or the thrown error. */
export type CallOutcome =
  | { readonly value: unknown }
  | {
      readonly error: {
        /** The class of the exception, as its language names it. */
        readonly type: string;
        /** Its printed text. */
        readonly message: string;
        /** If the client exposes one. */
        readonly status?: number;
        /** `X-Gateway-Error-Type`, if the client keeps headers. */
        readonly gatewayType?: string;
      };
    };

/** By name of the call. */
export type CallOutcomes = Readonly<Record<string, CallOutcome>>;

const SCRIPTS = join(import.meta.dirname, '..', '..', 'clients', 'scripts');

/**
 * Runs calls of a script in `test/clients/scripts`. It reads its target from `BASE_URL`, `API_KEY`, `HEADERS` (JSON)
 * and `PROVIDER_KEY`, and its calls from `CALLS`, and prints one line of JSON per call: its name and outcome.
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

/** Python and JavaScript share one frame per language; Go's is a separate file. Major versions have paths. */
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

/** Names and times that a provider generates for each answer. */
const MADE_UP =
  /^(id|created|created_at|createTime|completed_at|timestamp|responseId|response_id|item_id|generation_id|total_duration|load_duration|prompt_eval_duration|eval_duration)$/;

/** Generated values replaced by one word, so that two runs can be compared. */
export function withoutMadeUp(outcomes: CallOutcomes): unknown {
  return JSON.parse(
    JSON.stringify(outcomes, (name, value: unknown) =>
      MADE_UP.test(name) && value !== null && value !== undefined ? 'made up' : value,
    ),
  );
}
