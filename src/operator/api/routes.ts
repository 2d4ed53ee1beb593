import type { PageServices } from '../services.ts';
import type { OidcSignIn } from '../sign-in/oidc.ts';
import { keyChangeRoutes } from './key-changes.ts';
import { oidcRoutes } from './oidc.ts';
import { operationsRoute } from './operations.ts';
import { tokenRoutes } from './tokens.ts';
import { connectRoutes } from './connect.ts';
import { decisionRoutes } from './decisions.ts';
import { escalationRoutes } from './escalations.ts';
import { keyRoutes } from './keys.ts';
import { mcpRoutes } from './mcp.ts';
import { sharedBudgetRoutes } from './shared-budgets.ts';
import { openApi } from './openapi.ts';
import { route, type Route } from './route.ts';
import { overviewRoutes } from './overview.ts';
import { policyRoutes } from './policies.ts';
import { sessionRoutes } from './sessions.ts';
import { spendRoutes } from './spend.ts';
import { signInRoutes } from './sign-in.ts';

export function apiRoutes(services: PageServices, oidc: OidcSignIn | undefined): readonly Route[] {
  const routes: readonly Route[] = [
    ...signInRoutes(services),
    ...(oidc === undefined ? [] : oidcRoutes(services, oidc)),
    ...keyChangeRoutes(services),
    ...tokenRoutes(services),
    operationsRoute(services),
    ...overviewRoutes(services),
    ...decisionRoutes(services),
    ...keyRoutes(services),
    ...sharedBudgetRoutes(services),
    ...spendRoutes(services),
    ...sessionRoutes(services),
    ...escalationRoutes(services),
    ...mcpRoutes(services),
    ...policyRoutes(services),
    ...connectRoutes(services),
  ];
  const described: Route = route({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'The OpenAPI description of this API',
    role: 'viewer',
    owners: true,
    handle: () => Promise.resolve(openApi([...routes, described], services.version)),
  });
  return [...routes, described];
}
