import { expect } from 'vitest';

import type { FakeRequest } from '../../support/fake-provider/index.ts';
import type { AgentsRig } from '../../support/clients/agents/agents-rig.ts';
import { runExec } from '../../support/clients/agents/run-exec.ts';
import type { InstalledClient } from '../../support/clients/install.ts';
import { inTemporaryFolder } from '../../support/clients/run-program.ts';
import type { Row } from './rows.ts';

/** The end of each answer of the model. */
export const DONE = 'All of it is done.';

const RESULT = /"tool_call_id"|"function_call_output"|"type":"tool_result"|"functionResponse"/g;

/** The number of tool results in a request, in total or after the last place of a text. */
export function resultsIn({ body }: FakeRequest, behind?: string): number {
  const text = body.toString();
  const from = behind === undefined ? 0 : text.lastIndexOf(behind);
  return text.slice(from).match(RESULT)?.length ?? 0;
}

/** The lines of a text that no body contains. */
export function linesLost(text: string, bodies: readonly string[]): readonly string[] {
  return text.split('\n').filter((line) => !bodies.some((body) => holds(body, line.trim())));
}

/** Agents put lines in JSON, and some in JSON within JSON. */
function holds(body: string, line: string): boolean {
  const once = JSON.stringify(line).slice(1, -1);
  return body.includes(once) || body.includes(JSON.stringify(once).slice(1, -1));
}

interface Session {
  readonly rig: AgentsRig;
  readonly client: InstalledClient;
  readonly commands: readonly (readonly string[])[];
}

/**
 * Runs the commands one after another in one home, and expects that none of its requests is refused. Returns the bodies
 * that reached the provider.
 */
export async function runAll(row: Row, { rig, client, commands }: Session): Promise<readonly string[]> {
  const { proxyKey } = await rig.through(row.agent);
  rig.tap.seen.length = 0;
  const from = rig.provider.requests.length;
  await inTemporaryFolder(async (home) => {
    for (const command of commands) {
      const { stdout, stderr } = await runExec({ ...row, rig, client, proxyKey, home, command });
      expect(rig.tap.seen.filter(({ status }) => status >= 400)).toEqual([]);
      expect(`${stdout}\n${stderr}`).toContain(DONE);
    }
  });
  return rig.provider.requests.slice(from).map(({ body }) => body.toString());
}

/** Sessions of a file, summarized at its end. */
export class Tally {
  #sessions = 0;
  #requests = 0;

  /** @param rig that one session has run through since its last */
  add(rig: AgentsRig): void {
    this.#sessions += 1;
    this.#requests += rig.tap.seen.length;
  }

  print(): void {
    process.stdout.write(
      `${String(this.#sessions)} sessions, ${String(this.#requests)} requests, none refused\n`,
    );
  }
}
