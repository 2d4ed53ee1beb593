import * as z from 'zod';
import { gatewayIdentity } from '../src/admin/identity.ts';
import type { Config } from '../src/config/schema.ts';

/** What `/readyz` says, as far as it is read here. */
const readyz = z.object({
  ready: z.boolean(),
  envoy: z.string(),
  redis: z.string(),
  workers: z.object({ ready: z.number(), wanted: z.number() }),
  draining: z.boolean(),
  crash_loops: z.array(z.string()),
  identity: z.string().optional(),
});

export interface RunningGateway {
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
}

const ANSWERS_WITHIN_MS = 1_000;

/** Asks the gateway that runs with this configuration here, if one does. */
export async function runningGateway(config: Config): Promise<RunningGateway> {
  const { server } = config;
  const { admin_host: host, admin_port: port } = server;
  const address = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  const said = await getJson(`http://${address}/readyz`);
  if (said === undefined) return { status: 'ok', message: `none runs here (nobody answers at ${address})` };
  const read = readyz.safeParse(said);
  if (!read.success) {
    return {
      status: 'warn',
      message: `server.admin_port: what answers at ${address} is no gateway of this version`,
    };
  }
  if (read.data.identity !== gatewayIdentity(config)) {
    return {
      status: 'warn',
      message: `another gateway answers at ${address}, not one of this configuration: name its file with --config, or choose another server.admin_port. One that runs with an older state of this file has to be restarted`,
    };
  }
  const { ready, envoy, redis, workers, draining, crash_loops: loops } = read.data;
  if (loops.length > 0) {
    return {
      status: 'fail',
      message: `${loops.join(', ')}: in a crash loop, started again and again; the log of gateway serve says why`,
    };
  }
  if (ready)
    return {
      status: 'ok',
      message: `runs and is ready, ${String(workers.ready)} worker${workers.ready === 1 ? '' : 's'}`,
    };
  const state = `Envoy ${envoy}, Redis ${redis}, ${String(workers.ready)} of ${String(workers.wanted)} workers`;
  return { status: 'warn', message: `runs and is not ready: ${draining ? 'it drains' : state}` };
}

/** Undefined where nobody answers; null where it is no JSON. */
async function getJson(url: string): Promise<unknown> {
  let answer: Response;
  try {
    answer = await fetch(url, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS), redirect: 'error' });
  } catch {
    return undefined;
  }
  return answer.json().catch(() => null);
}
