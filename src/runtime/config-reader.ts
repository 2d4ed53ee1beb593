import { fork } from 'node:child_process';

import type { Environment } from '../config/environment.ts';
import { ConfigError, type Problem } from '../config/problems.ts';
import type { Config } from '../config/schema.ts';
import type { EnvoyLayout } from '../envoy/layout.ts';
import { entryFile } from './fork.ts';

/**
 * Reads the configuration in a short-lived process, because YAML, schemas and the pattern compiler would make up half
 * of the supervisor's modules.
 */
export interface ConfigReader {
  /**
   * Loads the configuration at `path` (default: ./gateway.yaml if it exists) and checks that `serve` can start with it.
   * @throws ConfigError that lists all problems
   */
  readConfig(path: string | undefined, environment: Environment): Promise<Config>;
  /** Renders Envoy's bootstrap for the last configuration read, as JSON. */
  renderEnvoy(layout: EnvoyLayout): Promise<string>;
  /** Compares the last configuration read with the one in effect. */
  compare(inForce: Config): Promise<ConfigChanges>;
  close(): void;
}

/** Dotted paths of configuration keys. */
export interface ConfigChanges {
  readonly changed: readonly string[];
  readonly restart: readonly string[];
}

export type Question =
  | { readonly kind: 'read'; readonly path: string | undefined; readonly environment: Environment }
  | { readonly kind: 'compare'; readonly inForce: Config }
  | { readonly kind: 'render'; readonly layout: EnvoyLayout };

export type Answer =
  | { readonly kind: 'config'; readonly config: Config }
  | { readonly kind: 'envoy'; readonly json: string }
  | ({ readonly kind: 'changes' } & ConfigChanges)
  /** `serve` cannot start with the configuration. */
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  | { readonly kind: 'failed'; readonly message: string };

export function startConfigReader(): ConfigReader {
  const child = fork(entryFile('config-reader'), [], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
    // In a short-lived process, memory is cheaper than garbage collection.
    execArgv: [...process.execArgv, '--min-semi-space-size=16'],
  });
  // `ask` reports a process that ended or did not start.
  child.on('error', () => undefined);

  /** Must not be called while a question is pending. */
  async function ask(question: Question): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    function ended(): void {
      reject(new Error('the process that reads the configuration ended without an answer'));
    }
    const take = (answer: unknown): void => resolve(answer as Answer);
    child.once('message', take).once('disconnect', ended);
    child.send(question, (failure) => {
      if (failure !== null) ended();
    });
    try {
      return await promise;
    } finally {
      child.off('message', take).off('disconnect', ended);
    }
  }

  return {
    readConfig: async (path, environment) => {
      const answer = await ask({ kind: 'read', path, environment });
      if (answer.kind === 'config') return answer.config;
      throw faultOf(answer);
    },
    renderEnvoy: async (layout) => {
      const answer = await ask({ kind: 'render', layout });
      if (answer.kind === 'envoy') return answer.json;
      throw faultOf(answer);
    },
    compare: async (inForce) => {
      const answer = await ask({ kind: 'compare', inForce });
      if (answer.kind === 'changes') return answer;
      throw faultOf(answer);
    },
    close: () => {
      // Not killed, so that the process can write its compile cache.
      if (child.connected) child.disconnect();
    },
  };
}

function faultOf(answer: Answer): Error {
  if (answer.kind === 'refused') return new ConfigError(answer.problems);
  return new Error(answer.kind === 'failed' ? answer.message : `unexpected answer: ${answer.kind}`);
}
