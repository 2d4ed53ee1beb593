import type { LoadedConfig } from '../../src/config/load.ts';
import { formatProblem } from '../../src/config/problems.ts';
import { preflightProblems } from '../../src/config/preflight.ts';
import { isWeakSecret } from '../../src/signing/signing-key.ts';
import { fail, ok, warn } from './finding.ts';
import type { Finding } from './finding.ts';

/** What `serve` would refuse, and what the file does not protect from. */
export function diagnoseConfig({ config, sources }: LoadedConfig): Finding[] {
  const problems = preflightProblems(config, sources).map((problem) =>
    fail('configuration', formatProblem(problem)),
  );
  const weak: Finding[] = isWeakSecret(config.signature)
    ? [
        warn(
          'configuration',
          'signature.secret has fewer than 32 bytes: who has a receipt could find it by trying (openssl rand -base64 32)',
        ),
      ]
    : [];
  const insecure: Finding[] = config.server.insecure_dev
    ? [warn('configuration', 'SERVER_INSECURE_DEV=true: keys travel over plain HTTP, for development only')]
    : [];
  const found = sources.file ?? 'no gateway.yaml: the defaults are used';
  return [...(problems.length > 0 ? problems : [ok('configuration', found)]), ...weak, ...insecure];
}
