import { maskSecrets } from '../detectors/mask.ts';
import type { Audited, EdgeObserver } from '../extproc/services.ts';
import type { VerdictObserver } from '../pipeline/enforcement.ts';
import { createTrailObserver, type TrailObserver } from './observe.ts';
import { openTrail, type TrailDeps } from './open-trail.ts';

type Observer = EdgeObserver & VerdictObserver;

export interface SidecarAudit {
  readonly observer: TrailObserver;
  /** Enforces `audit.required`. */
  readonly audited: Audited;
  /** Returns an observer that reports to the trail as well. */
  watching(observer: Observer): Observer;
  close(): Promise<void>;
}

/** @throws Error if `audit.file` cannot be written */
export async function startAudit(deps: TrailDeps): Promise<SidecarAudit> {
  const trail = await openTrail(deps);
  const records = createTrailObserver(trail, maskSecrets);
  return {
    observer: records,
    audited: {
      losses: () => trail.losses(),
      forwarding(exchange, knownLosses) {
        records.forwarding(exchange);
        return trail.written(knownLosses);
      },
      answer: (knownLosses) => trail.written(knownLosses),
    },
    watching: (observer) => ({
      ...observer,
      finished(finish) {
        observer.finished(finish);
        records.finished(finish);
      },
      verdict(exchange, check, verdict, enforced) {
        observer.verdict(exchange, check, verdict, enforced);
        records.verdict(exchange, check, verdict, enforced);
      },
    }),
    close: () => trail.close(),
  };
}
