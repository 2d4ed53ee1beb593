import * as z from 'zod';

import { gatewayIdentity } from '../src/admin/readiness.ts';
import type { Config } from '../src/config/schema.ts';

const readyz = z.object({
  ready: z.boolean(),
  envoy: z.string(),
  redis: z.string(),
  workers: z.object({ ready: z.number(), wanted: z.number() }),
  draining: z.boolean(),
  crash_loops: z.array(z.string()),
  identity: z.string().optional(),
  config: z
    .object({ in_force: z.boolean(), reason: z.string().optional(), keys: z.array(z.string()) })
    .optional(),
});

export interface RunningGateway {
  /** Whether a program answers at the admin address. */
  readonly isRunning: boolean;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
}

const ANSWERS_WITHIN_MS = 1_000;

export async function runningGateway(config: Config): Promise<RunningGateway> {
  const address = adminAddress(config);
  const body = await getJson(`http://${address}/readyz`);
  if (body === undefined)
    return { isRunning: false, status: 'ok', message: `not running (no answer at ${address})` };
  return { isRunning: true, ...judged(body, config, address) };
}

function judged(body: unknown, config: Config, address: string): Omit<RunningGateway, 'isRunning'> {
  const read = readyz.safeParse(body);
  if (!read.success) {
    return {
      status: 'warn',
      message: `server.admin_port: ${address} is used by another program or gateway version`,
    };
  }
  const notInForce = whyNotInForce(read.data.config);
  if (notInForce !== undefined) return { status: 'warn', message: `running, but ${notInForce}` };
  if (read.data.identity !== gatewayIdentity(config)) {
    return {
      status: 'warn',
      message: `the gateway at ${address} runs with another configuration. Pass its file with --config, choose another server.admin_port, or restart it if this file has changed`,
    };
  }
  const { ready, envoy, redis, workers, draining, crash_loops: loops } = read.data;
  if (loops.length > 0) {
    return { status: 'fail', message: `${loops.join(', ')}: in a crash loop; see the log of gateway serve` };
  }
  if (ready)
    return {
      status: 'ok',
      message: `running and ready, ${String(workers.ready)} worker${workers.ready === 1 ? '' : 's'}`,
    };
  const state = `Envoy ${envoy}, Redis ${redis}, ${String(workers.ready)} of ${String(workers.wanted)} workers`;
  return { status: 'warn', message: `running, not ready: ${draining ? 'draining' : state}` };
}

/** Returns the metrics of the gateway at the configured admin address, or undefined if no gateway answers. */
export async function gatewayMetrics(config: Config): Promise<string | undefined> {
  const answer = await get(`http://${adminAddress(config)}/metrics`);
  return answer?.text().catch(() => undefined);
}

function adminAddress({ server: { admin_host: host, admin_port: port } }: Config): string {
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

/** Returns the reason why the gateway's file on disk is not in effect, or undefined if it is or nothing is reported. */
function whyNotInForce(config: z.output<typeof readyz>['config']): string | undefined {
  if (config === undefined || config.in_force) return undefined;
  if (config.reason === 'restart')
    return `the changed gateway.yaml is not in effect: restart the gateway to apply ${config.keys.join(', ')}`;
  return `the changed gateway.yaml is not in effect (${config.reason ?? 'unknown'}); see the log of gateway serve`;
}

/** Returns undefined if nothing answers, or null if the answer is not JSON. */
async function getJson(url: string): Promise<unknown> {
  const answer = await get(url);
  return answer?.json().catch(() => null);
}

async function get(url: string): Promise<Response | undefined> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS), redirect: 'error' });
  } catch {
    return undefined;
  }
}

export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LABEL = /([a-z_]{1,64})="([^"\\\n]{0,256})"/g;

export function readSeries(text: string, metric: string): readonly Series[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith(`${metric}{`)) return [];
    const end = line.lastIndexOf('} ');
    if (end < 0) return [];
    const labels = [...line.slice(metric.length, end).matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
    return [{ labels: Object.fromEntries(labels) as Series['labels'], value: Number(line.slice(end + 2)) }];
  });
}
