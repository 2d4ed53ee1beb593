import type { LoadedConfig } from '../../src/config/load.ts';
import { NOT_BUILT } from '../../src/config/not-built.ts';
import { formatProblem } from '../../src/config/problems.ts';
import { servableProblems } from '../../src/config/servable.ts';
import { fail, ok, warn } from './finding.ts';
import type { Finding } from './finding.ts';

/** What `serve` would refuse, and what the file does not protect from. */
export function diagnoseConfig({ config, sources }: LoadedConfig): Finding[] {
  const problems = servableProblems(config, sources).map((problem) =>
    fail('configuration', formatProblem(problem)),
  );
  const insecure: Finding[] = config.server.insecure_dev
    ? [warn('configuration', 'SERVER_INSECURE_DEV=true: keys travel over plain HTTP, for development only')]
    : [];
  // Those that somebody switched on are among the problems.
  const unbuilt = NOT_BUILT.filter(({ path, isOn }) => isOn(config) && !sources.explicitlySet(path)).map(
    ({ path, name }) =>
      warn('configuration', `${path} is on by default, and this version does not have ${name} yet`),
  );
  const found = sources.file ?? 'no gateway.yaml: the defaults are used';
  return [...(problems.length > 0 ? problems : [ok('configuration', found)]), ...insecure, ...unbuilt];
}
