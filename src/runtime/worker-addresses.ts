import { parseExtprocAddress } from '../config/address.ts';
import type { Config } from '../config/schema.ts';
import type { WorkerAddress } from './worker-protocol.ts';

/**
 * Returns the ext_proc address of each worker, by index. Shared by `gateway envoy render` and `serve`.
 * Without `server.extproc.address`: sockets in `runPath`. With it, a single worker uses the address itself; several use
 * `<path>.<index>` or consecutive ports.
 */
export function workerAddresses(config: Config, runPath: string): WorkerAddress[] {
  const { workers, extproc } = config.server;
  const base = extproc.address === undefined ? undefined : parseExtprocAddress(extproc.address);
  return Array.from({ length: workers }, (_, index) => {
    if (base === undefined) return { kind: 'unix', path: `${runPath}/worker-${String(index)}.sock` };
    if (base.kind === 'tcp') return { kind: 'tcp', host: base.host, port: base.port + index };
    return { kind: 'unix', path: workers === 1 ? base.path : `${base.path}.${String(index)}` };
  });
}
