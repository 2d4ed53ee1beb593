import type { PageServices } from '../services.ts';
import { forRole } from '../views/escalation-view.ts';
import { iso } from '../views/time.ts';
import { pageQuery } from './bodies.ts';
import { listPage } from './list-page.ts';
import { route, type Route } from './route.ts';
import { escalations } from './schemas/traffic.ts';

/** Pending requests. Leaves out the nonce, which only answers need. */
export function escalationRoutes({ config, operations }: PageServices): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/escalations',
      summary: 'Requests that wait for a person, oldest first',
      role: 'viewer',
      owners: true,
      query: pageQuery,
      answer: escalations,
      handle: async ({ query, who }) => {
        const [waiting, now] = await Promise.all([
          operations.escalations.list(),
          operations.escalations.now(),
        ]);
        const shown = waiting
          .filter(({ owner }) => who.owner === undefined || owner === who.owner)
          .map((one) => forRole(one, who.role))
          .map(({ requested_at, expiry, ...rest }) => ({
            ...rest,
            requested_at: iso(requested_at),
            expiry: iso(expiry),
          }));
        return { ...listPage(shown, query), enabled: config.zsp.escalation_enabled, now: iso(now) };
      },
    }),
  ];
}
