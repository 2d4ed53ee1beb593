import { parseDuration } from '../../config/duration.ts';
import type { PageServices } from '../services.ts';
import { tokenChange, tokenFault, tokenView, type ApiToken } from '../sign-in/tokens.ts';
import { newTokenBody, pageQuery, reasonBody } from './bodies.ts';
import { changeRoute } from './change.ts';
import { ApiError } from './problem.ts';
import { route, type Route } from './route.ts';
import { done, issuedToken, tokens as tokensAnswer, type Token } from './schemas/people.ts';

export function tokenRoutes(services: PageServices): readonly Route[] {
  const { tokens } = services;
  return [
    route({
      method: 'GET',
      path: '/api/tokens',
      summary: 'API tokens that have not expired, oldest first',
      role: 'admin',
      query: pageQuery,
      answer: tokensAnswer,
      handle: async ({ query: { limit, cursor } }) => pageOf(await tokens.list(), limit, cursor),
    }),
    changeRoute(services, {
      method: 'POST',
      path: '/api/tokens',
      summary: 'Create an API token; only this answer has it',
      role: 'admin',
      body: newTokenBody,
      answer: issuedToken,
      isSecret: true,
      async make({ body: { name, role, owner, expiresIn }, who }) {
        // Otherwise a token could extend its own lifetime.
        if (who.kind === 'token') throw new ApiError('forbidden', 'an API token cannot create API tokens');
        const wanted = { name, role, owner, createdBy: who.name, lifeMs: parseDuration(expiresIn) ?? 0 };
        const fault = tokenFault(wanted);
        if (fault !== undefined) throw new ApiError('invalid_request', `body: ${fault}`);
        const { secret, token } = await tokens.create(wanted);
        return {
          result: { token: tokenView(token), raw_token: secret },
          record: tokenChange('create', token),
        };
      },
    }),
    changeRoute(services, {
      method: 'DELETE',
      path: '/api/tokens/{id}',
      summary: 'Revoke an API token',
      role: 'admin',
      body: reasonBody,
      answer: done,
      async make({ params: { id = '' } }) {
        const revoked = await tokens.revoke(id);
        return {
          result: { changed: revoked !== undefined },
          record: revoked === undefined ? undefined : tokenChange('delete', revoked),
        };
      },
    }),
  ];
}

/** The cursor is the id of the last token on the previous page. */
function pageOf(
  all: readonly ApiToken[],
  limit: number,
  cursor: string | undefined,
): { items: Token[]; next?: string } {
  const from = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
  const items = all.slice(from, from + limit);
  const last = items.at(-1);
  return {
    items: items.map(tokenView),
    ...(last !== undefined && from + limit < all.length && { next: last.id }),
  };
}
