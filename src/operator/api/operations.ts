import * as z from 'zod';
import { createTurns } from './in-turn.ts';
import { refuseUnknownCredentials } from './key-changes.ts';
import { ApiError, checked } from './problem.ts';
import { makeOnce } from './change.ts';
import { route, type Route, type ApiRequestOf } from './route.ts';
import { callsAnswer, callsBody } from '../remote/calls.ts';
import { MAX_COST, OPERATIONS, type ChangeOperation, type ReadOperation } from '../remote/table.ts';
import type { PageServices } from '../services.ts';
import { hasRole, type Role } from '../sign-in/roles.ts';

type OperationsRequest = ApiRequestOf<undefined, z.output<typeof callsBody>>;

/** Serves `gateway --server`: several reads, or one change. */
export function operationsRoute(services: PageServices): Route {
  const inTurn = createTurns();
  return route({
    method: 'POST',
    path: '/api/operations',
    summary: 'Command line operations: several reads, or one change',
    role: 'viewer',
    body: callsBody,
    answer: callsAnswer,
    handle: (request: OperationsRequest) => {
      const calls = request.body.calls.map((call) => {
        const operation: ReadOperation | ChangeOperation = OPERATIONS[call.operation];
        if (!hasRole(request.who.role, operation.role))
          throw new ApiError(
            'forbidden',
            `this needs the role ${operation.role}; this token has the role ${request.who.role}`,
          );
        return { ...call, operation, given: checked(operation.arguments, call.arguments, 'body') };
      });
      const [first] = calls;
      if (first?.operation.kind === 'change') {
        if (calls.length > 1)
          throw new ApiError('invalid_request', 'body: calls: send each change in its own request');
        return changed(services, request, first.operation, first.given);
      }
      return inTurn(() => readAll(services, calls, request.who.role));
    },
  });
}

interface CheckedCall {
  readonly operation: ReadOperation | ChangeOperation;
  readonly given: unknown;
}

async function readAll(
  { operations }: PageServices,
  calls: readonly CheckedCall[],
  role: Role,
): Promise<unknown> {
  const reads = calls.map(({ operation, given }) => {
    if (operation.kind === 'change')
      throw new ApiError('invalid_request', 'body: calls: send each change in its own request');
    return { operation, given };
  });
  const cost = reads.reduce((sum, { operation, given }) => sum + operation.cost(given), 0);
  if (cost > MAX_COST)
    throw new ApiError('invalid_request', 'body: calls: too many reads for one request: send fewer');
  const results = reads.map(async ({ operation, given }) => ({
    result: await operation.run(operations, given, role),
  }));
  return { results: await Promise.all(results) };
}

function changed(
  services: PageServices,
  { who, address, incoming, body }: OperationsRequest,
  { run }: ChangeOperation,
  given: unknown,
): Promise<unknown> {
  const isSecret = body.calls.some(({ operation }) => operation === 'createKey' || operation === 'rotateKey');
  return makeOnce(services, { who, address, incoming, reason: body.reason, body, isSecret }, async () => {
    refuseUnknownCredentials(services.config, credentialsIn(given));
    const { result, record } = await run(services.operations.changes, given, who.name);
    return { result: { results: [{ result }] }, record };
  });
}

const withCredentials = z.object({ credentials: z.array(z.string()).optional() });
const withChange = z.object({ change: withCredentials });

function credentialsIn(given: unknown): readonly string[] | undefined {
  const ofChange = withChange.safeParse(given);
  return ofChange.success ? ofChange.data.change.credentials : withCredentials.parse(given).credentials;
}
