import type { Command } from 'commander';

import type { LoadedConfig } from '../../src/config/load.ts';
import { ConfigError, formatProblem } from '../../src/config/problems.ts';
import type { Config } from '../../src/config/schema.ts';
import { messageOf } from '../../src/errors.ts';
import { findEnvoy } from '../../src/runtime/envoy-binary.ts';
import { ExitCode, withCall, type Call, type Io } from '../command.ts';
import { diagnoseAudit } from '../doctor/audit.ts';
import { diagnoseCertificates } from '../doctor/certificates.ts';
import { diagnoseConfig, diagnoseIdentity, diagnosePolicies, diagnoseRedis } from '../doctor/diagnose.ts';
import { diagnoseEngines, probeEngines, probeServerCredentials } from '../doctor/engines.ts';
import { fail, ok, SUBJECTS, type Diagnosis } from '../doctor/finding.ts';
import { loadedConfig } from '../loaded-config.ts';
import { painter, print, printable, withOutput } from '../output.ts';
import { runningGateway } from '../running-gateway.ts';

const PROBLEMS = 1;
const CANNOT_RUN = 2;

const HELP = `
Checks the configuration, Redis (version, eviction, stored data, latency, clock), Envoy, certificates, the JWT key set,
policies, audit receivers and the gateway on this machine, and tests most active engines and the credentials of MCP
servers with samples. Changes nothing, except that it may download Envoy.

Exit code 0: no problems, possibly warnings. 1: problems. 2: the configuration cannot be read; nothing was checked.

Examples:
  $ gateway doctor
  $ gateway doctor --config /etc/gateway/gateway.yaml --output json
`;

export function registerDoctor(program: Command, io: Io): void {
  withOutput(
    program
      .command('doctor')
      .description('diagnose configuration, Redis, Envoy, certificates and the security engines')
      .addHelpText('after', HELP),
  ).action(withCall(io, doctor));
}

async function doctor(call: Call): Promise<void> {
  const { findings, code } = await examine(call);
  print(call, { healthy: code === 0, findings }, () =>
    findings.map((finding) => line(finding, call)).join('\n'),
  );
  if (code !== 0) throw new ExitCode(code);
}

async function examine(
  call: Call,
): Promise<{ readonly findings: readonly Diagnosis[]; readonly code: number }> {
  let loaded: LoadedConfig;
  try {
    loaded = loadedConfig(call);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map((problem) => fail('configuration', formatProblem(problem)));
    // Problems without a path are about the file, .env or SERVER_INSECURE_DEV, not about a key.
    const isUnread = error.problems.every(({ path }) => path === '');
    return { findings, code: isUnread ? CANNOT_RUN : PROBLEMS };
  }
  const findings = await diagnose(loaded, call);
  return { findings, code: findings.some(({ status }) => status === 'fail') ? PROBLEMS : 0 };
}

async function diagnose(loaded: LoadedConfig, io: Io): Promise<Diagnosis[]> {
  const { config } = loaded;
  const [redis, envoy, identity, audit, running] = await Promise.all([
    diagnoseRedis(config),
    diagnoseEnvoy(config, io),
    diagnoseIdentity(config),
    diagnoseAudit(config),
    runningGateway(config),
  ]);
  // Run after the latency measurement, because these checks use CPU and memory.
  const policies = await diagnosePolicies(config);
  const probes = [...(await probeEngines(config)), ...(await probeServerCredentials(config))];
  return [
    ...diagnoseConfig(loaded),
    ...redis,
    envoy,
    ...identity,
    ...diagnoseCertificates(config, Date.now()),
    ...diagnoseEngines(config),
    ...probes,
    ...policies,
    ...audit,
    { check: 'gateway', status: running.status, message: running.message },
  ];
}

async function diagnoseEnvoy(config: Config, io: Io): Promise<Diagnosis> {
  if (!config.envoy.managed) return ok('envoy', 'not managed by the gateway (envoy.managed: false)');
  try {
    const { version, path } = await findEnvoy({
      configuredPath: config.envoy.path,
      environment: io.env,
      progress: (message) => io.stderr.write(`${message}\n`),
    });
    return ok('envoy', `Envoy ${version} at ${path}`);
  } catch (error) {
    return fail('envoy', messageOf(error));
  }
}

const WIDTH = Math.max(...SUBJECTS.map((name) => name.length));

function line({ check, status, message }: Diagnosis, io: Io): string {
  const paint = painter(io);
  const mark = { ok: paint('green', '✓'), off: '–', warn: paint('yellow', '!'), fail: paint('red', '✗') }[
    status
  ];
  return `${mark} ${check.padEnd(WIDTH)}  ${printable(message)}`;
}
