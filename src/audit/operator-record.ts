import { newOperationId } from '../operation-id.ts';
import { apiActivity, type Activity, type ApiActivity, type Resource } from './ocsf.ts';

/** What an operator did with the gateway's state. */
export interface OperatorChange {
  readonly activity: Activity;
  /** As the command is called: `keys create`. */
  readonly operation: string;
  /** Whose state it is; undefined where it is no key's. */
  readonly key?: { readonly keyHash: string; readonly name: string } | undefined;
  readonly server?: string;
  /** What was changed; nothing secret. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Who ran a command. */
export interface Operator {
  /** As the operating system knows them. */
  readonly user: string;
  /** As they call themselves (`--as`). */
  readonly name: string | undefined;
}

export function operatorRecord(change: OperatorChange, { user, name = user }: Operator): ApiActivity {
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
    clientAddress: '',
    authorizations: [],
  });
}
