import type { PageServices } from '../services.ts';
import { createLastHour } from '../decisions/last-hour.ts';
import { route, type Route } from './route.ts';
import { overview } from './schemas/traffic.ts';

export function overviewRoutes({
  config,
  feed,
  gateways,
  operations,
  redis,
}: PageServices): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/overview',
      summary: 'Gateways, Redis, and the traffic of the last hour',
      role: 'viewer',
      answer: overview,
      handle: async () => {
        const hour = config.audit.enabled ? await feed.lastHour() : createLastHour();
        const [running, info, keys, waiting, now] = await Promise.all([
          gateways.list(),
          redis.read(),
          redis.countKeys(),
          operations.escalations.list(),
          operations.readClock(),
        ]);
        return {
          gateways: running,
          redis: info,
          audit: config.audit.enabled,
          providers: hour.providers(now),
          traffic: hour.traffic(now),
          proxy_keys: keys,
          waiting_approvals: waiting.length,
        };
      },
    }),
  ];
}
