import { configuredAddress } from '../../exec/gateway-address.ts';
import { snippetsFor } from '../snippets.ts';
import type { PageServices } from '../services.ts';
import { findKey } from './keys.ts';
import { route, type Route } from './route.ts';
import { connect } from './schemas/keys.ts';

export function connectRoutes(services: PageServices): readonly Route[] {
  const { config } = services;
  return [
    route({
      method: 'GET',
      path: '/api/connect/{keyId}',
      summary: 'Snippets that configure clients for a key',
      role: 'viewer',
      owners: true,
      answer: connect,
      handle: async ({ params: { keyId = '' }, who }) => {
        const record = await findKey(services, keyId, who);
        const address = configuredAddress(config, undefined).url.href.replace(/\/$/, '');
        const server = config.mcp.enabled ? config.mcp.servers[0]?.name : undefined;
        return {
          key_hash: record.keyHash,
          name: record.name,
          address,
          snippets: snippetsFor({ address, record, server }),
        };
      },
    }),
  ];
}
