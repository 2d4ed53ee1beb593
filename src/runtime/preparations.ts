import type { Config } from '../config/schema.ts';
import type { FromWorker, ToWorker } from './worker-protocol.ts';

type Answer = Extract<FromWorker, { readonly kind: 'prepared' | 'refused' }>;

export interface Preparations {
  /** @throws Error if the worker refuses, ends or does not answer in time, or if a newer configuration arrives */
  ask(config: Config, send: (message: ToWorker) => void): Promise<void>;
  answered(answer: Answer): void;
  ended(): void;
}

/** Compiling policies may take half of this time. */
const PREPARED_WITHIN_MS = 60_000;

export function createPreparations(): Preparations {
  let lastId = 0;
  let pending: { readonly id: number; settle(failure?: string): void } | undefined;
  return {
    async ask(config, send) {
      pending?.settle('a newer configuration has arrived');
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      const id = ++lastId;
      const timer = setTimeout(() => pending?.settle('a worker does not answer'), PREPARED_WITHIN_MS);
      pending = {
        id,
        settle(failure) {
          clearTimeout(timer);
          pending = undefined;
          if (failure === undefined) resolve(undefined);
          else reject(new Error(failure));
        },
      };
      send({ kind: 'prepare', id, config });
      await promise;
    },
    answered(answer) {
      if (answer.id === pending?.id) pending.settle(answer.kind === 'refused' ? answer.message : undefined);
    },
    ended() {
      pending?.settle('a worker has ended');
    },
  };
}
