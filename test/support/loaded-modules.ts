/**
 * Starts a worker's sidecar in this process, lets it serve nothing, and prints the packages that were loaded, as JSON.
 * Arguments: gateway.yaml as JSON, and the socket.
 */
import { registerHooks } from 'node:module';

const packages = new Set<string>();
registerHooks({
  load(url, context, next) {
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    return next(url, context);
  },
});

const [, , written = '{}', path = ''] = process.argv;
const { loadConfig, NO_FILE } = await import('../../src/config/load.ts');
const { startSidecar } = await import('../../src/sidecar.ts');
await import('../../src/worker.ts');
const { config } = loadConfig({
  path: NO_FILE,
  env: { SERVER_INSECURE_DEV: 'true' },
  argvOverrides: JSON.parse(written) as object,
});
const sidecar = await startSidecar({
  config,
  index: 0,
  address: { kind: 'unix', path },
  onRedis: () => undefined,
});
await sidecar.drain();
console.log(JSON.stringify([...packages]));
process.exit(0);
