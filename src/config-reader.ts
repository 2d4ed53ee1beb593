import { loadConfig } from './config/load.ts';
import { preflight } from './config/preflight.ts';
import { ConfigError } from './config/problems.ts';
import type { Config } from './config/schema.ts';
import { envoyBootstrap } from './envoy/render.ts';
import { messageOf } from './errors.ts';
import type { Answer, Question } from './runtime/config-reader.ts';

/** The process of `startConfigReader`. It ends with its parent. */
let config: Config | undefined;

function answerTo(question: Question): Answer {
  if (question.kind === 'read') {
    const loaded = loadConfig({ path: question.path, env: question.environment });
    preflight(loaded.config, loaded.sources);
    config = loaded.config;
    return { kind: 'config', config };
  }
  if (config === undefined) throw new Error('no configuration has been read');
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
  // The parent may be gone.
  process.send?.(answerOrFault(question), () => undefined);
});
