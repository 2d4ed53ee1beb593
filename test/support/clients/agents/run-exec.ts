import { delimiter, dirname } from 'node:path';

import { cacheDirectory } from '../../../../src/runtime/program.ts';
import { gatewayProgram } from '../../parts.ts';
import type { InstalledClient } from '../install.ts';
import { runProgram, type ProgramResult } from '../run-program.ts';
import { clientProgram } from '../run-script.ts';
import type { Agent } from './agent.ts';
import { AGENT_WITHIN_MS, PROVIDER_KEY, type AgentsRig } from './agents-rig.ts';

export interface ExecRun {
  readonly rig: AgentsRig;
  readonly agent: Agent;
  readonly client: InstalledClient;
  readonly proxyKey: string;
  /** The provider's usual variable, which the agent itself never sees. */
  readonly keyVariable: string;
  /** The model of every request, regardless of what the agent writes. */
  readonly model: string;
  readonly command: readonly string[];
  /** Holds what the agent remembers between two runs. */
  readonly home: string;
}

/** Runs an agent under `gateway exec` in the project's folder, without any set-up. */
export async function runExec(run: ExecRun): Promise<ProgramResult> {
  const { rig, agent, client, proxyKey, keyVariable, model, command, home } = run;
  const programs = dirname(clientProgram(client, 'any'));
  const path = [programs, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  const exec = ['exec', '--gateway-url', rig.tap.url, '--model-override', model, '--', ...command];
  const words = [process.execPath, await gatewayProgram(), ...exec];
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  return runProgram('bash', ['-c', `cd ${rig.project} && ${quoted.join(' ')}`], {
    cwd: home,
    timeoutMs: AGENT_WITHIN_MS,
    env: {
      ...agent.quiet,
      PATH: path,
      TERM: 'xterm-256color',
      // Gemini CLI trusts no settings below a world-writable folder.
      XDG_CACHE_HOME: await cacheDirectory(process.env),
      GATEWAY_PROXY_KEY: proxyKey,
      [keyVariable]: PROVIDER_KEY,
    },
  });
}
