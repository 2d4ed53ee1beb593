import type { PageServices } from '../services.ts';
import { openApi } from './openapi.ts';
import { route, type Route } from './route.ts';
import { signInRoutes } from './sign-in.ts';

/** Every operation of the operator's API. */
export function apiRoutes(services: PageServices): readonly Route[] {
  const routes: readonly Route[] = [...signInRoutes(services)];
  const described: Route = route({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This description',
    role: 'viewer',
    owners: true,
    handle: () => Promise.resolve(openApi([...routes, described], services.version)),
  });
  return [...routes, described];
}
