import { accessSync, constants } from 'node:fs';
import { pemFiles } from '../certificates/files.ts';
import { pemProblems, readPemTexts } from '../certificates/pem.ts';
import { createSigningKey } from '../signing/signing-key.ts';
import type { ConfigSources } from './load.ts';
import { OTEL_FILES } from './otel-variables.ts';
import { ConfigError, type Problem } from './problems.ts';
import type { Config } from './schema.ts';
import { messageOf } from '../errors.ts';

/** Returns the problems that prevent `serve` from starting, but not other commands. */
export function preflightProblems(config: Config, sources: ConfigSources): Problem[] {
  const problem = (path: string, message: string): Problem => ({
    where: sources.locate(path.split('.')),
    path,
    message,
  });
  const { tls, insecure_dev } = config.server;
  const problems: Problem[] = [];
  if (tls.cert_file === undefined && tls.key_file === undefined && !insecure_dev) {
    problems.push(
      problem(
        'server.tls',
        `needs cert_file and key_file: TLS is required (for development, SERVER_INSECURE_DEV=true allows plain HTTP)${sources.file === undefined ? '. No gateway.yaml found: gateway init writes one' : ''}`,
      ),
    );
  }
  const fault = signingKeyFault(config);
  if (fault !== undefined) problems.push(problem('signature.secret', fault));
  if (config.policy.enabled) problems.push(...policyPathProblems(config, sources));
  for (const files of pemFiles(config)) {
    for (const { key, message } of pemProblems(files, readPemTexts(files)))
      problems.push(problem(`${files.path}.${key}`, message));
  }
  for (const [name, file] of Object.entries(config.otel.variables)) {
    // OpenTelemetry would ignore a missing file.
    if (OTEL_FILES.test(name) && !isReadable(file))
      problems.push(problem(`otel.variables.${name}`, 'names a file that is missing or cannot be read'));
  }
  return problems;
}

/** Tests the signing key at start, before clients rely on signatures. */
function signingKeyFault({ signature }: Config): string | undefined {
  if (!signature.enabled) return undefined;
  try {
    createSigningKey(signature);
    return undefined;
  } catch (cause) {
    return messageOf(cause);
  }
}

/** Checks policy paths that are set explicitly; default paths may be missing. */
export function policyPathProblems({ policy }: Config, sources: ConfigSources): Problem[] {
  return (['policy_file', 'policy_dir'] as const)
    .filter((key) => sources.explicitlySet(`policy.${key}`) && !isReadable(policy[key]))
    .map((key) => ({
      where: sources.locate(['policy', key]),
      path: `policy.${key}`,
      message: `is missing or cannot be read (${policy[key]})`,
    }));
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** @throws ConfigError that lists all problems of `preflightProblems` */
export function preflight(config: Config, sources: ConfigSources): void {
  const problems = preflightProblems(config, sources);
  if (problems.length > 0) throw new ConfigError(problems);
}
