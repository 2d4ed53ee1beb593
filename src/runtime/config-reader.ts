import { fork } from 'node:child_process';

import type { Environment } from '../config/environment.ts';
import { ConfigError, type Problem } from '../config/problems.ts';
import type { Config } from '../config/schema.ts';
import type { EnvoyLayout } from '../envoy/layout.ts';
import { entryFile } from './entry-file.ts';

/**
 * A process that reads the configuration and ends. What that takes (YAML, schemas, a compiler of patterns) is half of
 * what a supervisor would load, and never needed again.
 */
export interface ConfigReader {
  /**
   * What may be served, of the file at `path` (./gateway.yaml where it is left out, if there is one).
   * @throws ConfigError that lists every reason why it may not
   */
  readConfig(path: string | undefined, environment: Environment): Promise<Config>;
  /** Envoy's bootstrap for the configuration that was read, as JSON. */
  renderEnvoy(layout: EnvoyLayout): Promise<string>;
  /** It ends; what it has not answered fails. */
  close(): void;
}

export type Question =
  | { readonly kind: 'read'; readonly path: string | undefined; readonly environment: Environment }
  | { readonly kind: 'render'; readonly layout: EnvoyLayout };

export type Answer =
  | { readonly kind: 'config'; readonly config: Config }
  | { readonly kind: 'envoy'; readonly json: string }
  /** Why the configuration may not be served. */
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  | { readonly kind: 'failed'; readonly message: string };

export function startConfigReader(): ConfigReader {
  const child = fork(entryFile('config-reader'), [], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  // It may end, or never have started, while nobody asks.
  child.on('error', () => undefined);

  /** One question at a time. */
  async function ask(question: Question): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    function ended(): void {
      reject(new Error('the process that reads the configuration has ended without an answer'));
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
    close: () => {
      // Not killed: what it has compiled is kept for the next start when it ends.
      if (child.connected) child.disconnect();
    },
  };
}

function faultOf(answer: Answer): Error {
  if (answer.kind === 'refused') return new ConfigError(answer.problems);
  return new Error(answer.kind === 'failed' ? answer.message : `not asked for: ${answer.kind}`);
}
