import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { Option, type Command } from 'commander';

import { envoyPemFiles } from '../../src/certificates/files.ts';
import type { Config } from '../../src/config/schema.ts';
import type { EnvoyLayout } from '../../src/envoy/layout.ts';
import { systemCaFile } from '../../src/runtime/system-ca.ts';
import { workerAddresses } from '../../src/runtime/worker-protocol.ts';
import { withCall, type Call, type Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';

interface RenderOptions {
  readonly runDir: string;
  readonly caFile?: string;
  readonly accessLog: string;
  readonly sdsDir?: string;
  readonly sdsPath?: string;
  readonly as: (typeof FORMS)[number];
  readonly name: string;
  readonly namespace: string;
}

const FORMS = ['envoy', 'istio', 'envoy-gateway'] as const;

/** CA bundle in the Istio and Envoy Gateway images. */
const MESH_CA_FILE = '/etc/ssl/certs/ca-certificates.crt';

/** Adds `gateway envoy …`, for an Envoy that the gateway does not manage (compose, mesh). */
export function registerEnvoy(program: Command, io: Io): void {
  const envoy = program.command('envoy').description("print Envoy's configuration");
  envoy
    .command('render')
    .description("print Envoy's configuration for this gateway.yaml")
    .option('--run-dir <folder>', 'folder for the Unix sockets', '/run/gateway')
    .option('--ca-file <file>', "CA bundle that verifies providers (default: the system's)")
    .option('--access-log <file>', 'Envoy access log file', '/dev/stdout')
    .option('--sds-dir <folder>', 'folder for SDS files, which let Envoy follow renewed certificates')
    .option('--sds-path <folder>', 'path of the SDS folder as seen by Envoy, if different')
    .addOption(
      new Option('--as <form>', 'output for Envoy itself, or as a mesh resource')
        .choices(FORMS)
        .default('envoy'),
    )
    .option('--name <name>', 'name of the mesh resource and its gateway', 'ai-firewall-gateway')
    .option('--namespace <namespace>', 'namespace of the mesh resource', 'ai-firewall-gateway')
    .addHelpText(
      'after',
      '\nExamples:\n  $ gateway envoy render --config gateway.yaml > envoy.yaml\n' +
        '  $ gateway envoy render --as istio | kubectl apply -f -\n',
    )
    .action(withCall(io, render));
}

async function render(call: Call, options: RenderOptions): Promise<void> {
  const { config } = loadedConfig(call);
  // Loaded on demand, because the providers would slow down every other command.
  const { renderEnvoy } = await import('../../src/envoy/render.ts');
  const { renderEnvoyGateway, renderIstio } = await import('../../src/envoy/mesh.ts');
  const { runDir, caFile, accessLog, sdsDir, sdsPath, as, name, namespace } = options;
  const isForMesh = as !== 'envoy';
  const layout: EnvoyLayout = {
    sidecars: workerAddresses(config, runDir),
    adminSocketPath: `${runDir}/envoy-admin.sock`,
    systemCaFile: caFile ?? (isForMesh ? MESH_CA_FILE : await systemCaFile(call.env, `${runDir}/ca.pem`)),
    accessLogPath: accessLog,
    secretsFolder: sdsPath ?? (sdsDir === undefined ? undefined : resolve(sdsDir)),
  };
  if (sdsDir !== undefined) await writeSecrets(config, sdsDir);
  if (as === 'istio') call.stdout.write(renderIstio(config, layout, { name, namespace }));
  else if (as === 'envoy-gateway') call.stdout.write(renderEnvoyGateway(config, layout, { name, namespace }));
  else call.stdout.write(renderEnvoy(config, layout));
}

/** Writes one SDS file per secret. A running Envoy picks up each change immediately. */
async function writeSecrets(config: Config, folder: string): Promise<void> {
  const { fileName, secretsInFiles } = await import('../../src/envoy/secrets.ts');
  mkdirSync(folder, { recursive: true });
  for (const { name, content } of envoyPemFiles(config).flatMap(secretsInFiles)) {
    const file = join(folder, fileName(name));
    writeFileSync(`${file}.next`, `${JSON.stringify(content, null, 2)}\n`);
    renameSync(`${file}.next`, file);
  }
}
