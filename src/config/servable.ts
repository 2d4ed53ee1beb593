import type { ConfigSources } from './load.ts';
import { notBuiltButSwitchedOn } from './not-built.ts';
import { ConfigError } from './problems.ts';
import type { Problem } from './problems.ts';
import type { Config } from './schema.ts';

/** What keeps `serve` from starting, beyond what every command asks of a configuration. */
export function servableProblems(config: Config, sources: ConfigSources): Problem[] {
  const problem = (path: string, message: string): Problem => ({
    where: sources.locate(path.split('.')),
    path,
    message,
  });
  const { tls, insecure_dev } = config.server;
  const problems = notBuiltButSwitchedOn(config, sources).map(({ path, name }) =>
    problem(
      path,
      `is switched on, and this version does not have ${name} yet: it would only seem to protect`,
    ),
  );
  if (tls.cert_file === undefined && tls.key_file === undefined && !insecure_dev) {
    problems.unshift(
      problem(
        'server.tls',
        'needs cert_file and key_file: TLS is required (SERVER_INSECURE_DEV=true lifts that, for development only)',
      ),
    );
  }
  return problems;
}

/**
 * Refuses a configuration that may not be served.
 * @throws ConfigError that lists every reason
 */
export function checkServable(config: Config, sources: ConfigSources): void {
  const problems = servableProblems(config, sources);
  if (problems.length > 0) throw new ConfigError(problems);
}
