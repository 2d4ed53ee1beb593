import type { Config } from '../config/schema.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createDelivery } from './delivery.ts';
import { filledMessage, type AlertEvent, type BudgetThreshold } from './event.ts';
import { postPinned } from './post.ts';
import { secretBytes } from './sign.ts';

export type AlertKind = Config['alerting']['events'][number];

export interface Alerts {
  budget(crossed: Omit<BudgetThreshold, 'message'>): void;
  /** Does nothing unless `alerting.events` contains the kind. */
  send(kind: AlertKind, event: AlertEvent): void;
  close(): Promise<void>;
}

const CLOSE_WITHIN_MS = 2_000;

export function createAlerts(
  { alerting }: Pick<Config, 'alerting'>,
  { log, metrics }: { readonly log: Logger; readonly metrics: Metrics },
): Alerts {
  const wanted = new Set(alerting.events);
  const delivery = createDelivery({
    url: new URL(alerting.webhook_url),
    secret: secretBytes(alerting.secret),
    post: postPinned,
    onDelivered: (type) => metrics.alerts.inc({ type, outcome: 'delivered' }),
    onLost(type, why, cause) {
      metrics.alerts.inc({ type, outcome: why });
      log.error({ type, why, cause }, 'an alert was not delivered to alerting.webhook_url');
    },
  });
  return {
    budget(crossed) {
      const found = alerting.thresholds.find(({ percent }) => percent === crossed.threshold);
      const message = filledMessage(found?.message ?? '', crossed);
      delivery.send({ type: 'budget.threshold', data: { ...crossed, message } });
    },
    send(kind, event) {
      if (wanted.has(kind)) delivery.send(event);
    },
    close: () => delivery.close(CLOSE_WITHIN_MS),
  };
}
