import { loadConfig } from './config/load.ts';
import { preflight } from './config/preflight.ts';
import { ConfigError } from './config/problems.ts';
import type { Config } from './config/schema.ts';
import { envoyBootstrap } from './envoy/render.ts';
import { changedKeys } from './config/changes.ts';
import type { EnvoyLayout } from './envoy/layout.ts';
import { messageOf } from './errors.ts';
import type { Answer, ConfigChanges, Question } from './runtime/config-reader.ts';
import { withSigningKey } from './signing/signing-key.ts';

/** Entry point of the process that `startConfigReader` starts. Exits with its parent. */
let config: Config | undefined;

/** Any layout shows whether Envoy's configuration differs. */
const SOME_LAYOUT: EnvoyLayout = {
  sidecars: [{ kind: 'unix', path: '/sidecar' }],
  adminSocketPath: '/admin',
  systemCaFile: '/ca',
  accessLogPath: '/log',
};

function changes(before: Config, after: Config): ConfigChanges {
  const keys = changedKeys(before, after);
  const changed = keys.map(({ path }) => path);
  const restart = keys.filter(({ needsRestart }) => needsRestart).map(({ path }) => path);
  if (restart.length > 0) return { changed, restart };
  // Changes to Envoy's configuration need a restart even if the schema says otherwise, because Envoy and the workers
  // must agree.
  const [envoyBefore, envoyAfter] = [before, after].map((one) =>
    JSON.stringify(envoyBootstrap(one, SOME_LAYOUT)),
  );
  return { changed, restart: envoyBefore === envoyAfter ? [] : changed };
}

function answerTo(question: Question): Answer {
  if (question.kind === 'read') {
    const loaded = loadConfig({ path: question.path, env: question.environment });
    preflight(loaded.config, loaded.sources);
    config = withSigningKey(loaded.config);
    return { kind: 'config', config };
  }
  if (config === undefined) throw new Error('no configuration has been read');
  if (question.kind === 'compare') return { kind: 'changes', ...changes(question.inForce, config) };
  return { kind: 'envoy', json: JSON.stringify(envoyBootstrap(config, question.layout)) };
}

function answerOrFault(question: Question): Answer {
  try {
    return answerTo(question);
  } catch (error) {
    if (error instanceof ConfigError) return { kind: 'refused', problems: error.problems };
    return { kind: 'failed', message: messageOf(error) };
  }
}

process.on('message', (question: Question) => {
  // The parent may have exited.
  process.send?.(answerOrFault(question), () => undefined);
});
