import type { OperatorChange } from '../../audit/operator-record.ts';
import { isoTime } from '../../auth/key-json.ts';
import { parseDuration } from '../../config/duration.ts';
import { isPlainLabel, LABEL_RULE } from '../../text/label.ts';
import type { PageServices } from '../services.ts';
import type { ApiToken } from '../sign-in/tokens.ts';
import { newTokenBody, pageQuery, reasonBody } from './bodies.ts';
import { changeRoute } from './change.ts';
import { ApiError } from './problem.ts';
import { route, type Route } from './route.ts';
import { done, issuedToken, tokens as tokensAnswer, type Token } from './schemas.ts';

const MAX_LIFE_MS = 366 * 86_400_000;

/** API tokens: admins make them, by a sign-in of their own. */
export function tokenRoutes(services: PageServices): readonly Route[] {
  const { tokens } = services;
  return [
    route({
      method: 'GET',
      path: '/api/tokens',
      summary: 'API tokens that have not ended, oldest first',
      role: 'admin',
      query: pageQuery,
      answer: tokensAnswer,
      handle: async ({ query: { limit, cursor } }) => pageOf(await tokens.list(), limit, cursor),
    }),
    changeRoute(services, {
      method: 'POST',
      path: '/api/tokens',
      summary: 'Make an API token; it is only in this answer',
      role: 'admin',
      body: newTokenBody,
      answer: issuedToken,
      isSecret: true,
      async make({ body: { name, role, owner, expiresIn }, who }) {
        // Else a token could outlive its own end.
        if (who.kind === 'token')
          throw new ApiError('forbidden', 'API tokens are made by people, not by tokens');
        refuseUnusable(name, role, owner);
        const lifeMs = parseDuration(expiresIn) ?? 0;
        if (lifeMs === 0 || lifeMs > MAX_LIFE_MS)
          throw new ApiError(
            'invalid_request',
            'body: expiresIn: must be longer than zero, and 366d at most',
          );
        const { secret, token } = await tokens.create({ name, role, owner, createdBy: who.name, lifeMs });
        return { result: { token: tokenView(token), raw_token: secret }, record: recordOf('create', token) };
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
          record: revoked === undefined ? undefined : recordOf('delete', revoked),
        };
      },
    }),
  ];
}

function refuseUnusable(name: string, role: ApiToken['role'], owner: string | undefined): void {
  if (!isPlainLabel(name) || (owner !== undefined && !isPlainLabel(owner)))
    throw new ApiError('invalid_request', `body: name and owner ${LABEL_RULE}`);
  if (owner !== undefined && role !== 'viewer')
    throw new ApiError('invalid_request', 'body: owner: a token of an owner is a viewer');
}

/** The cursor is the id of the last token of the page before. */
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

function tokenView({ id, name, role, owner, createdBy, createdAt, expiresAt, lastUsedAt }: ApiToken): Token {
  return {
    id,
    name,
    role,
    owner: owner ?? null,
    created_at: new Date(createdAt).toISOString(),
    created_by: createdBy,
    expires_at: new Date(expiresAt).toISOString(),
    last_used_at: isoTime(lastUsedAt) ?? null,
  };
}

function recordOf(
  activity: OperatorChange['activity'],
  { id, name, role, owner, expiresAt }: ApiToken,
): OperatorChange {
  const operation = activity === 'create' ? 'tokens create' : 'tokens revoke';
  const fields = {
    token_id: id,
    token_name: name,
    token_role: role,
    ...(owner !== undefined && { token_owner: owner }),
    expires_at: isoTime(expiresAt),
  };
  return { activity, operation, fields };
}
