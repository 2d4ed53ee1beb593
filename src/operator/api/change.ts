import { hash, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type * as z from 'zod';
import { sendToReceivers } from '../../audit/open-receivers.ts';
import { operatorRecord, withReason, type OperatorChange } from '../../audit/operator-record.ts';
import { KeyError } from '../../auth/key-store.ts';
import { newOperationId } from '../../operation-id.ts';
import { ChangeRefused, type Changed } from '../changed.ts';
import { MAX_ANSWER_CHARS, type RequestedChange } from '../made-change-store.ts';
import type { PageServices } from '../services.ts';
import type { SignedIn } from '../sign-in/roles.ts';
import { ApiError } from './problem.ts';
import { Reply, route, type ApiRequestOf, type Route } from './route.ts';

export interface ChangeRequest {
  readonly who: SignedIn;
  readonly address: string;
  readonly incoming: IncomingMessage;
  readonly reason: string | undefined;
  /** Must be the same for a repeated Idempotency-Key. */
  readonly body: unknown;
  /** Set if the answer contains a raw key or token, which is not stored for repeated requests. */
  readonly isSecret: boolean;
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

/**
 * Makes a change once per `Idempotency-Key`, and records it in the audit trail before answering.
 * @throws ApiError, and errors of `make`
 */
export async function makeOnce(
  services: PageServices,
  request: ChangeRequest,
  make: () => Promise<Changed<unknown>>,
): Promise<Reply> {
  const { madeChanges } = services;
  const given = idempotencyKeyOf(request.incoming);
  const requested = requestedChange(request, given);
  const beginning = await madeChanges.begin(requested);
  if (beginning.kind === 'made') return replayed(beginning.answer);
  if (beginning.kind === 'too_many') throw tooMany(beginning.waitMs);
  if (beginning.kind !== 'new') throw new ApiError('conflict', NOT_NEW[beginning.kind]);
  let changed: Changed<unknown>;
  try {
    changed = await make();
  } catch (refusal) {
    // After any other failure, the change may have been made.
    if (given === undefined || isRefusal(refusal)) await madeChanges.forget(requested);
    throw refusal;
  }
  const { result, record } = changed;
  if (given === undefined) await madeChanges.forget(requested);
  else await madeChanges.keep(requested, keptAnswer(request, result));
  if (record?.key !== undefined) await services.surveys.note(record.key.keyHash).catch(() => undefined);
  if (record !== undefined) await recordChange(services, request, record);
  return new Reply(200, {}, result as object);
}

const SHOWN_ONCE = { shown_once: true };
const TOO_LARGE = { too_large_to_keep: true };

function keptAnswer({ isSecret }: ChangeRequest, result: unknown): string {
  if (isSecret) return JSON.stringify(SHOWN_ONCE);
  const answer = JSON.stringify(result);
  return answer.length > MAX_ANSWER_CHARS ? JSON.stringify(TOO_LARGE) : answer;
}

const NOT_NEW = {
  under_way:
    'this change is in progress, or it failed halfway and may have been made: check before you repeat it with another Idempotency-Key',
  other: 'this Idempotency-Key was used for another change: use a new one',
} as const;

function replayed(answer: string): Reply {
  const body = JSON.parse(answer) as object;
  if ('shown_once' in body)
    throw new ApiError(
      'conflict',
      'this change was made before, and only the first answer contained the secret: if the secret is lost, rotate the key or revoke the token',
    );
  if ('too_large_to_keep' in body)
    throw new ApiError('conflict', 'this change was made before, and its answer was too large to store');
  return new Reply(200, { 'idempotency-replayed': 'true' }, body);
}

function tooMany(waitMs: number): ApiError {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1_000)));
  return new ApiError('rate_limited', `too many changes per minute: wait ${seconds} s`, {
    headers: { 'retry-after': seconds },
  });
}

function isRefusal(thrown: unknown): boolean {
  return thrown instanceof KeyError || thrown instanceof ChangeRefused || thrown instanceof ApiError;
}

function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const given = headers['idempotency-key'];
  if (given === undefined) return undefined;
  if (typeof given !== 'string' || !IDEMPOTENCY_KEY.test(given))
    throw new ApiError('invalid_request', 'Idempotency-Key must have 1 to 128 visible ASCII characters');
  return given;
}

function requestedChange({ who, incoming, body }: ChangeRequest, given: string | undefined): RequestedChange {
  const request = JSON.stringify([incoming.method, incoming.url, body]);
  return { who: userOf(who), idempotencyKey: given ?? randomUUID(), digest: hash('sha256', request, 'hex') };
}

/** @throws ApiError if the change was made but could not be recorded */
async function recordChange(
  { config, operations, log }: PageServices,
  { who, address, reason }: ChangeRequest,
  change: OperatorChange,
): Promise<void> {
  if (!config.audit.enabled) return;
  const { fields, ...reasoned } = withReason(change, reason);
  const operator = { user: userOf(who), name: who.name, address };
  const line = JSON.stringify(
    operatorRecord({ ...reasoned, fields: { ...fields, role: who.role } }, operator),
  );
  try {
    await operations.audit.append([line], newOperationId());
  } catch (err) {
    log.error({ err, operation: change.operation }, 'a change is missing from the audit trail');
    throw new ApiError(
      'redis_unavailable',
      'the change was made, but the audit trail has no record of it: Redis failed in the meantime',
    );
  }
  // A slow or unreachable collector must not delay the answer.
  sendToReceivers(config.audit, line).catch((err: unknown) =>
    log.error(
      { err, operation: change.operation },
      'the record of a change was not sent to the receivers; it is in Redis',
    ),
  );
}

/** Returns a name that is unique across sign-in kinds. */
function userOf({ kind, subject }: SignedIn): string {
  return `${kind}:${subject}`;
}

export interface DescribedChange<Body extends z.ZodType> extends Pick<
  Route,
  'method' | 'path' | 'summary' | 'answer'
> {
  readonly role: SignedIn['role'];
  readonly body: Body;
  readonly isSecret?: boolean;
  make(
    request: Pick<ApiRequestOf<undefined, z.output<Body>>, 'body' | 'params' | 'who'>,
  ): Promise<Changed<unknown>>;
}

export function changeRoute<Body extends z.ZodType<{ readonly reason: string }>>(
  services: PageServices,
  { isSecret = false, make, ...described }: DescribedChange<Body>,
): Route {
  return route<undefined, Body>({
    ...described,
    handle: (request) => {
      const { who, address, incoming, params } = request;
      const body = request.body as z.output<Body>;
      const change = { who, address, incoming, reason: body.reason, body, isSecret };
      return makeOnce(services, change, () => make({ body, params, who }));
    },
  });
}
