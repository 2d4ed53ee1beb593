import type { PageServices } from '../services.ts';
import { spendQuery } from './bodies.ts';
import { route, type Route } from './route.ts';
import { spend } from './schemas/traffic.ts';

export function spendRoutes({ config, spend: reports }: PageServices): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/spend',
      summary: 'Spend by owner, team, key, provider, model, tool or tag',
      role: 'viewer',
      owners: true,
      query: spendQuery,
      answer: spend,
      handle: async ({ query, who }) => ({
        ...(await reports.read({ ...query, owner: who.owner })),
        enabled: config.spend.enabled,
      }),
    }),
  ];
}
