import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { dataArgs, until } from '../support/redis-node.ts';
import { SCRIPTS, planOf } from './plan.ts';
import type { SoakRig } from './rig.ts';

/** A fault under load. `cause` resolves once it is over, except for the recovery. */
export interface Fault {
  readonly name: string;
  /** Redis may lose confirmed writes. */
  readonly losesWrites: boolean;
  cause(rig: SoakRig): Promise<void>;
}

const PAUSE_MS = 2_000;
const PROMOTED_WITHIN_MS = 40_000;
/** The supervisor kills a worker that is silent for 15 s. */
const REPLACED_WITHIN_MS = 60_000;

export const FAULTS: readonly Fault[] = [
  {
    name: 'a worker is killed',
    losesWrites: false,
    async cause({ gateway }) {
      process.kill(gateway.workers()[0]?.pid ?? 0, 'SIGKILL');
      await gateway.waitUntil((now) => now.workers.ready < now.workers.wanted);
    },
  },
  {
    name: 'Redis is paused for 2 s',
    losesWrites: false,
    async cause({ nodes }) {
      const { master } = await nodes();
      master.signal('SIGSTOP');
      await delay(PAUSE_MS);
      master.signal('SIGCONT');
    },
  },
  {
    name: 'Envoy is killed',
    losesWrites: false,
    async cause({ gateway }) {
      const pid = gateway.envoy()?.pid ?? 0;
      process.kill(pid, 'SIGKILL');
      await until(() => Promise.resolve(![undefined, pid].includes(gateway.envoy()?.pid)), 'Envoy is back');
    },
  },
  {
    name: 'Redis is at its memory limit for 3 s',
    losesWrites: false,
    async cause({ nodes }) {
      const { master } = await nodes();
      await master.client.config('SET', 'maxmemory', '1mb');
      await delay(3_000);
      await master.client.config('SET', 'maxmemory', '0');
    },
  },
  {
    name: 'the provider resets all connections for 2 s',
    losesWrites: false,
    cause: (rig) => misbehave(rig, { breakOff: { at: 'before_headers', how: 'reset' } }),
  },
  {
    name: 'Redis fails over',
    losesWrites: true,
    async cause(rig) {
      const { replica } = await rig.nodes();
      const [host = '', port = ''] = (rig.sentinel.addrs[0] ?? '').split(':');
      const asked = new Redis({ host, port: Number(port) });
      await asked.call('SENTINEL', 'FAILOVER', rig.sentinel.masterName);
      asked.disconnect();
      await until(
        async () => (await rig.nodes()).master === replica,
        'the replica is master',
        PROMOTED_WITHIN_MS,
      );
      await delay(3_000);
    },
  },
  {
    name: 'the provider is slow for 2 s',
    losesWrites: false,
    cause: (rig) => misbehave(rig, { headersDelayMs: 1_500 }),
  },
  {
    name: 'Redis is killed, and its replica promoted',
    losesWrites: true,
    async cause({ nodes }) {
      const { master, replica } = await nodes();
      await master.kill();
      await until(
        async () => (await replica.client.role())[0] === 'master',
        'the replica is master',
        PROMOTED_WITHIN_MS,
      );
      await delay(1_000);
      const line = [
        ...dataArgs(master.port, master.directory),
        '--replicaof',
        '127.0.0.1',
        String(replica.port),
      ];
      await master.revive(line);
      await until(
        async () => (await replica.client.info('replication')).includes('state=online'),
        'it has the copy',
        PROMOTED_WITHIN_MS,
      );
    },
  },
  {
    name: 'a worker is stopped until the supervisor replaces it',
    losesWrites: false,
    async cause({ gateway }) {
      const pid = gateway.workers()[0]?.pid ?? 0;
      process.kill(pid, 'SIGSTOP');
      const isGone = (): Promise<boolean> =>
        Promise.resolve(!gateway.workers().some((worker) => worker.pid === pid));
      await until(isGone, 'the worker is replaced', REPLACED_WITHIN_MS);
    },
  },
];

async function misbehave(
  { provider }: SoakRig,
  script: Parameters<SoakRig['provider']['behave']>[0],
): Promise<void> {
  provider.behave(script);
  await delay(PAUSE_MS);
  behaveAsPlanned(provider);
}

/** Each request is answered as its prompt says. */
export function behaveAsPlanned(provider: SoakRig['provider']): void {
  provider.behave(({ body }) => SCRIPTS[planOf(body.toString())?.plan ?? 'plain']);
}
