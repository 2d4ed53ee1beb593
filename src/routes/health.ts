import { newOperationId } from '../operation-id.ts';
import type { BreakerStore, CallResult, CircuitCaller, CircuitChange } from '../checks/mcp-breaker/store.ts';
import type { TargetSettings } from '../config/sections/models.ts';
import type { Parsed } from '../pipeline/exchange.ts';

/** Circuit results by attempt outcome (envoy/attempts.lua). */
const RESULTS: Readonly<Record<string, CallResult>> = {
  connect: 'unreachable',
  lost: 'lost',
  timeout: 'lost',
  unsure: 'failed',
  '429': 'failed',
  '5xx': 'failed',
  answered: 'succeeded',
};

export interface TargetHealthDeps {
  readonly store: BreakerStore;
  /** Called on one gateway when a target's circuit opens or closes. */
  readonly onChange: (target: string, change: CircuitChange) => void;
  readonly onFailure: (cause: unknown) => void;
}

interface Judged {
  readonly settings: Pick<TargetSettings, 'provider' | 'model' | 'credential'>;
}

export interface TriedTarget {
  readonly exchange: Pick<Parsed, 'request'>;
  readonly outcome: string;
}

export interface TargetWatch {
  sends(exchange: Pick<Parsed, 'request'>, target: Judged): void;
  tried(attempts: readonly TriedTarget[]): void;
  /** Releases unused probes. */
  end(): void;
}

/** Selects targets by circuits that all gateways share (docs/routes.md#targets-that-keep-failing). */
export interface TargetHealth {
  /** Returns targets with closed circuits and those that this request probes, or else all. Throws redis_unavailable. */
  healthy<Target extends Judged>(
    targets: readonly Target[],
    keyHash: string,
  ): Promise<{ readonly targets: readonly Target[]; readonly watch: TargetWatch }>;
}

export function createTargetHealth({ store, onChange, onFailure }: TargetHealthDeps): TargetHealth {
  function createWatch(keyHash: string, operationId: string, probed: Set<string>): TargetWatch {
    const names = new Map<Parsed['request'], string>();

    function report(server: string, result: CallResult): void {
      const isProbe = probed.delete(server);
      if (!isProbe && result === 'succeeded') return;
      store.report({ server, keyHash }, operationId, result).then((changes) => {
        for (const change of changes) onChange(server, change);
      }, onFailure);
    }

    return {
      sends(exchange, target) {
        names.set(exchange.request, circuitOf(target));
      },
      tried(attempts) {
        for (const { exchange, outcome } of attempts) {
          const server = names.get(exchange.request);
          if (server !== undefined) report(server, RESULTS[outcome] ?? 'lost');
        }
      },
      end() {
        for (const server of [...probed]) report(server, 'abandoned');
      },
    };
  }

  async function usableNow(caller: CircuitCaller, operationId: string): Promise<'yes' | 'no' | 'probe'> {
    const { kind } = await store.read(caller);
    if (kind !== 'half_open') return kind === 'closed' ? 'yes' : 'no';
    return (await store.takeProbe(caller, operationId)).kind === 'taken' ? 'probe' : 'no';
  }

  return {
    async healthy(targets, keyHash) {
      const operationId = newOperationId();
      const probed = new Set<string>();
      const usable = await Promise.all(
        targets.map(async (target) => {
          const server = circuitOf(target);
          const state = await usableNow({ server, keyHash }, operationId);
          if (state === 'probe') probed.add(server);
          return state !== 'no';
        }),
      );
      const left = targets.filter((_, index) => usable[index]);
      return {
        targets: left.length === 0 ? targets : left,
        watch: createWatch(keyHash, operationId, probed),
      };
    },
  };
}

/** Returns the name of a target's circuit. The slash distinguishes it from MCP servers. */
function circuitOf({ settings: { provider, model, credential = '' } }: Judged): string {
  return `target/${provider}/${encodeURIComponent(model)}/${credential}`;
}
