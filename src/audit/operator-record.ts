import { maskSecrets } from '../detectors/mask.ts';
import { newOperationId } from '../operation-id.ts';
import { plainReason } from '../risk/lock-cause.ts';
import { apiActivity, type Activity, type ApiActivity, type Resource } from './ocsf.ts';

export interface OperatorChange {
  readonly activity: Activity;
  /** The command, for example `keys create`. */
  readonly operation: string;
  readonly key?: { readonly keyHash: string; readonly name: string } | undefined;
  readonly server?: string;
  /** Must not contain secrets. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Adds a reason to the fields of a change, with secrets masked. */
export function withReason(change: OperatorChange, reason = ''): OperatorChange {
  const words = plainReason(maskSecrets(reason));
  return words === undefined ? change : { ...change, fields: { ...change.fields, reason: words } };
}

export interface Operator {
  /** Operating system user, or kind of sign-in and subject. */
  readonly user: string;
  /** Name given by `--as` or at sign-in. */
  readonly name: string | undefined;
  /** Client address of a change made through the API. */
  readonly address?: string;
}

export function operatorRecord(
  change: OperatorChange,
  { user, name = user, address = '' }: Operator,
): ApiActivity {
  const { key, server } = change;
  const resources: Resource[] = [
    ...(key === undefined ? [] : [{ type: 'proxy_key' as const, name: key.name }]),
    ...(server === undefined ? [] : [{ type: 'mcp_server' as const, name: server }]),
  ];
  return apiActivity({
    requestId: newOperationId(),
    message: change.operation,
    severity: 'informational',
    disposition: 'allowed',
    actor: { uid: user, name },
    resources,
    unmapped: { stage: 'operator', ...(key !== undefined && { key_hash: key.keyHash }), ...change.fields },
    activity: change.activity,
    operation: change.operation,
    service: 'gateway',
    clientAddress: address,
    authorizations: [],
  });
}
