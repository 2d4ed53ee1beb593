import type { KeyRecord } from '../../auth/key-record.ts';
import type { Config } from '../../config/schema.ts';
import type { LimitChanges } from '../../checks/budget/store.ts';
import { parseDuration } from '../../config/duration.ts';
import { toNanoUsd } from '../../pricing/usd.ts';
import type { Changed } from '../changed.ts';
import { credentialFault } from '../credential-fault.ts';
import { operatorSettings } from '../redis-operations.ts';
import type { Role } from '../sign-in/roles.ts';
import type { PageServices } from '../services.ts';
import { budgetBody, keyChangeBody, lockBody, newKeyBody, reasonBody, rotateBody } from './bodies.ts';
import { changeRoute, type DescribedChange } from './change.ts';
import { readKeyView } from './key-view.ts';
import { ApiError } from './problem.ts';
import type { Route } from './route.ts';
import { changedKey, issuedKey } from './schemas/keys.ts';

export function keyChangeRoutes(services: PageServices): readonly Route[] {
  const { changes } = services.operations;
  const answered = async (
    { record }: { readonly record: KeyRecord },
    change: Pick<Changed<unknown>, 'record'>,
    changed: boolean,
  ): Promise<Changed<unknown>> => ({
    ...change,
    result: { key: await readKeyView(services.operations, record), changed },
  });
  const simple = (
    role: Role,
    path: string,
    summary: string,
    make: DescribedChange<typeof reasonBody>['make'],
  ): Route =>
    changeRoute(services, {
      method: 'POST',
      path: `/api/keys/{id}/${path}`,
      summary,
      role,
      body: reasonBody,
      answer: changedKey,
      make,
    });
  return [
    ...issuingRoutes(services),
    changeRoute(services, {
      method: 'POST',
      path: '/api/keys/{id}/update',
      summary: 'Change how policy rules apply to a key, or its credentials',
      role: 'admin',
      body: keyChangeBody,
      answer: changedKey,
      async make({ params: { id = '' }, body: { reason: _reason, ...change } }) {
        refuseUnknownCredentials(services.config, change.credentials);
        const made = await changes.updateKey({ reference: id, change });
        return answered({ record: made.result }, made, true);
      },
    }),
    simple('admin', 'revoke', 'Revoke a key for good', async ({ params: { id = '' } }) => {
      const made = await changes.revokeKey({ reference: id });
      return answered(made.result, made, !made.result.wasRevoked);
    }),
    simple('operator', 'release', 'Unlock a key', async ({ params: { id = '' } }) => {
      const made = await changes.releaseKey({ reference: id });
      return answered(made.result, made, made.result.released);
    }),
    simple(
      'operator',
      'reset-risk',
      "Reset a key's score, block and taints",
      async ({ params: { id = '' } }) => {
        const made = await changes.resetRisk({ reference: id });
        return answered(made.result, made, true);
      },
    ),
    changeRoute(services, {
      method: 'POST',
      path: '/api/keys/{id}/lock',
      summary: 'Lock a key for a limited time; clients see the reason',
      role: 'operator',
      body: lockBody,
      answer: changedKey,
      async make({ params: { id = '' }, body }) {
        const forMs = msOf(body.for);
        if (forMs === 0) throw new ApiError('invalid_request', 'body: for: must be longer than zero');
        const made = await changes.lockKey({ reference: id, forMs, reason: body.reason });
        return answered(made.result, made, made.result.lock.ttlMs === forMs);
      },
    }),
    changeRoute(services, {
      method: 'PUT',
      path: '/api/keys/{id}/budget',
      summary: 'Set key limits; null removes a limit, 0 blocks all requests',
      role: 'operator',
      body: budgetBody,
      answer: changedKey,
      async make({ params: { id = '' }, body }) {
        const limits: LimitChanges = Object.fromEntries(
          Object.entries(body.limits).map(([window, usd]) => [window, usd === null ? null : toNanoUsd(usd)]),
        );
        const { keyHash } = await services.operations.keys.find(id);
        const made = await changes.setBudget({ reference: keyHash, limits });
        const record = made.result.record ?? (await services.operations.keys.find(keyHash));
        return answered({ record }, made, true);
      },
    }),
  ];
}

function issuingRoutes(services: PageServices): readonly Route[] {
  const { changes } = services.operations;
  return [
    changeRoute(services, {
      method: 'POST',
      path: '/api/keys',
      summary: 'Create a key; only this answer has the raw key',
      role: 'admin',
      body: newKeyBody,
      answer: issuedKey,
      isSecret: true,
      async make({ body: { reason: _reason, expiresIn, ...key } }) {
        refuseUnknownCredentials(services.config, key.credentials);
        const expiresInMs = expiresIn === undefined ? undefined : msOf(expiresIn);
        if (expiresInMs === 0)
          throw new ApiError('invalid_request', 'body: expiresIn: must be longer than zero');
        const made = await changes.createKey({ ...key, ...(expiresInMs !== undefined && { expiresInMs }) });
        const { record, rawKey } = made.result;
        return { ...made, result: { key: await readKeyView(services.operations, record), raw_key: rawKey } };
      },
    }),
    changeRoute(services, {
      method: 'POST',
      path: '/api/keys/{id}/rotate',
      summary: 'Issue a new raw key; only this answer has it',
      role: 'admin',
      body: rotateBody,
      answer: issuedKey,
      isSecret: true,
      async make({ params: { id = '' }, body }) {
        const made = await changes.rotateKey({ reference: id, graceMs: msOf(body.grace) });
        const { record, rawKey } = made.result;
        return { ...made, result: { key: await readKeyView(services.operations, record), raw_key: rawKey } };
      },
    }),
  ];
}

/** @param duration validated by the schemas */
function msOf(duration: string): number {
  return duration === '0' ? 0 : (parseDuration(duration) ?? 0);
}

/** @throws ApiError if a key cannot have these credentials */
export function refuseUnknownCredentials(config: Config, names: readonly string[] | undefined): void {
  const fault = credentialFault(operatorSettings(config).credentials, names);
  if (fault !== undefined) throw new ApiError('invalid_request', `body: credentials: ${fault}`);
}
