import type { Command } from 'commander';
import { systemCaFile } from '../../src/runtime/system-ca.ts';
import { workerAddresses } from '../../src/runtime/worker-addresses.ts';
import type { Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';

interface RenderOptions {
  readonly runDir: string;
  readonly caFile?: string;
  readonly accessLog: string;
}

/** `gateway envoy …`: the Envoy in front, where it is run by somebody else (compose, mesh). */
export function registerEnvoy(program: Command, io: Io): void {
  const envoy = program.command('envoy').description('work with the Envoy in front');
  envoy
    .command('render')
    .description("print Envoy's configuration for this gateway.yaml")
    .option('--run-dir <folder>', 'folder of the unix sockets', '/run/gateway')
    .option('--ca-file <file>', "bundle that verifies providers (default: the system's)")
    .option('--access-log <file>', 'where Envoy writes its access log', '/dev/stdout')
    .addHelpText('after', '\nExample:\n  $ gateway envoy render --config gateway.yaml > envoy.yaml\n')
    .action((options: RenderOptions, command: Command) => render(command, io, options));
}

async function render(command: Command, io: Io, options: RenderOptions): Promise<void> {
  const { config } = loadedConfig(command, io);
  // Loaded only where it is used: every other command starts faster without the providers.
  const { renderEnvoy } = await import('../../src/envoy/render.ts');
  const { runDir, caFile, accessLog } = options;
  io.stdout.write(
    renderEnvoy(config, {
      sidecars: workerAddresses(config, runDir),
      adminSocketPath: `${runDir}/envoy-admin.sock`,
      systemCaFile: caFile ?? (await systemCaFile(io.env, `${runDir}/ca.pem`)),
      accessLogPath: accessLog,
    }),
  );
}
