import type { ChildProcess } from 'node:child_process';
import type { BuildInfo } from './admin/metrics.ts';
import type { Config } from './config/schema.ts';
import type { EnvoyLayout } from './envoy/layout.ts';
import type { Environment } from './config/environment.ts';
import type { TellProgress } from './runtime/program.ts';
import type { WorkerOutput } from './runtime/fork.ts';
import type { Logger } from './telemetry/logger.ts';
import type { ReloadOptions } from './runtime/reload.ts';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';

import type { FollowedCredentials } from './provider-credentials/follow.ts';
import { credentialVariables } from './runtime/credentials.ts';
import type { Certificates } from './runtime/certificates.ts';
import { findEnvoy } from './runtime/envoy-binary.ts';
import { startEnvoy, type EnvoyProcess } from './runtime/envoy-process.ts';
import type { Guard } from './runtime/guard.ts';
import { startOperatorProcess, type OperatorProcess } from './runtime/operator-process.ts';
import { prepareSocketFolder, type RunDirectory } from './runtime/run-directory.ts';
import { systemCaFile } from './runtime/system-ca.ts';
import type { WorkerAddress } from './runtime/worker-protocol.ts';
import { startWorkers, type Workers } from './runtime/workers.ts';
import type { EnvoyReplies } from './telemetry/envoy-lines.ts';

export interface ServeOptions {
  /** A configuration that passed `preflight`. */
  readonly config: Config;
  /** Returns Envoy's bootstrap as JSON. Called once if the gateway runs Envoy. */
  readonly renderEnvoy: (layout: EnvoyLayout) => Promise<string>;
  readonly environment: Environment;
  /** For metrics, traces and the operator page. */
  readonly build?: BuildInfo;
  readonly log: Logger;
  /** Receives Envoy's output line by line: its log, and its access log on stdout. */
  readonly onEnvoyLine: (line: string, from: 'stdout' | 'stderr') => void;
  readonly progress?: TellProgress;
  /** Undefined to keep the initial configuration in effect. */
  readonly reload?: Pick<ReloadOptions, 'file' | 'read'> | undefined;
  /** A sidecar process that is already loading. The caller ends it if the start fails. */
  readonly ahead?: ChildProcess;
  /** Destination of the child processes' logs, except those of `ahead`. Default: this process's standard output. */
  readonly workerOutput?: WorkerOutput;
}

export interface ServeParts {
  readonly addresses: readonly WorkerAddress[];
  readonly run: RunDirectory;
  readonly guard: Guard;
  readonly replies: EnvoyReplies;
  readonly certificates: Certificates;
}

interface SidecarParts extends Pick<ServeParts, 'addresses' | 'guard' | 'certificates'> {
  readonly credentials: FollowedCredentials;
}

export async function startSidecars(
  { config, log, ahead, workerOutput, build }: ServeOptions,
  { addresses, guard, certificates, credentials }: SidecarParts,
): Promise<Workers> {
  if (!config.envoy.managed && config.server.extproc.address === undefined) {
    throw new Error(
      'envoy.managed is false: set server.extproc.address to the address where Envoy finds the sidecar',
    );
  }
  for (const address of addresses) {
    if (address.kind === 'unix') await prepareSocketFolder(dirname(address.path));
  }
  return startWorkers({
    version: build?.version,
    config,
    addresses,
    tls: () => certificates.extprocTls(),
    credentials: () => credentials.values(),
    guard,
    ahead: cleanAhead(config, ahead),
    output: workerOutput,
    onExit: (index, exit) => {
      log.error({ worker: index, ...exit }, 'a sidecar process ended and is restarted');
    },
    onHang: (index) => {
      log.error({ worker: index }, 'a sidecar process hangs: it is killed and restarted');
    },
    onFailed: (index, message) => {
      log.error({ worker: index, cause: message }, 'a sidecar process cannot start');
    },
  });
}

/** Returns the process that was started ahead. Kills it if it inherited variables that contain credentials. */
function cleanAhead(config: Config, ahead: ChildProcess | undefined): ChildProcess | undefined {
  if (credentialVariables(config).length === 0) return ahead;
  ahead?.kill('SIGKILL');
  return undefined;
}

export async function startManagedEnvoy(
  options: ServeOptions,
  { addresses: sidecars, run, guard, replies, certificates }: ServeParts,
): Promise<EnvoyProcess> {
  const { config, environment, progress, log } = options;
  const binary = await findEnvoy({
    configuredPath: config.envoy.path,
    environment,
    ...(progress === undefined ? {} : { progress }),
  });
  const adminSocketPath = run.file('admin.sock');
  const configFile = run.file('envoy.json');
  const bootstrap = await options.renderEnvoy({
    sidecars,
    adminSocketPath,
    systemCaFile: await systemCaFile(environment, run.file('ca.pem')),
    accessLogPath: '/dev/stdout',
    secretsFolder: certificates.secretsFolder,
  });
  // The file may contain the sidecar token.
  await writeFile(configFile, bootstrap, { mode: 0o600 });
  return startEnvoy({
    binary: binary.path,
    configFile,
    adminSocketPath,
    concurrency: availableParallelism(),
    guard,
    onLine: (line, from) => {
      replies.take(line);
      options.onEnvoyLine(line, from);
    },
    onExit: (exit) => {
      log.error({ ...exit }, 'Envoy ended and is restarted');
    },
  });
}

export function startPage(
  { config, log, build, workerOutput }: ServeOptions,
  guard: Guard,
  certificates: Certificates,
): Promise<OperatorProcess> {
  return startOperatorProcess({
    config,
    version: build?.version ?? 'unknown',
    tls: () => certificates.uiTls(),
    guard,
    log,
    output: workerOutput,
  });
}
