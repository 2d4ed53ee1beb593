import type { PageServices } from '../services.ts';
import type { OidcSignIn } from '../sign-in/oidc.ts';
import { keyChangeRoutes } from './key-changes.ts';
import { oidcRoutes } from './oidc.ts';
import { operationsRoute } from './operations.ts';
import { otherChangeRoutes } from './other-changes.ts';
import { tokenRoutes } from './tokens.ts';
import { openApi } from './openapi.ts';
import { route, type Route } from './route.ts';
import { signInRoutes } from './sign-in.ts';

/** Every operation of the operator's API. */
export function apiRoutes(services: PageServices, oidc: OidcSignIn | undefined): readonly Route[] {
  const routes: readonly Route[] = [
    ...signInRoutes(services),
    ...(oidc === undefined ? [] : oidcRoutes(services, oidc)),
    ...keyChangeRoutes(services),
    ...otherChangeRoutes(services),
    ...tokenRoutes(services),
    operationsRoute(services),
  ];
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
