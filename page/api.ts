import { signal } from '@preact/signals';

import type { Me, Problem, Role } from '../src/operator/api/schemas/people.ts';

/** Request timeout. Longer than the server waits for Redis, so that its error message can arrive. */
const TIMEOUT_MS = 20_000;

/** The signed-in person. Undefined until known; null if no one is signed in. */
export const me = signal<Me | null | undefined>(undefined);
/** Set if a session has expired, for a message on the sign-in page. */
export const sessionEnded = signal(false);
/** Set while Redis or the gateway is down. Cleared by the next successful answer. */
export const outage = signal<string | undefined>(undefined);
/** Status line text about the last change. */
export const notice = signal('');

/** Thrown if the API refuses a request or does not answer (`unreachable`). */
export class ProblemError extends Error {
  readonly type: string;
  readonly status: number;
  readonly errors: Problem['errors'];

  constructor({ type, status, detail, errors }: Omit<Problem, 'title'>) {
    super(detail);
    this.name = 'ProblemError';
    this.type = type;
    this.status = status;
    this.errors = errors;
  }
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Appends a query. Omits undefined and empty values. */
export function withQuery(path: string, query: Query): string {
  const values = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(values.map(([name, value]): [string, string] => [name, String(value)]));
  return text.size === 0 ? path : `${path}?${text.toString()}`;
}

/** @param isRepeated true for polling, which must not extend the session */
export async function read<T>(path: string, signal?: AbortSignal, isRepeated = false): Promise<T> {
  const headers = isRepeated ? { 'X-Background': '1' } : undefined;
  return (await answer(path, { ...(signal && { signal }), ...(headers && { headers }) })) as T;
}

/** Makes a change. Repeating a change with the same `operation` has no effect. */
export async function change<T>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body: object,
  operation: string,
): Promise<T> {
  const csrf = me.value?.csrf_token;
  return (await answer(path, {
    method,
    body: JSON.stringify(body),
    headers: {
      'Content-Type': 'application/json',
      'Idempotency-Key': operation,
      ...(csrf != null && { 'X-CSRF-Token': csrf }),
    },
  })) as T;
}

async function answer(path: string, init: RequestInit): Promise<unknown> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  let response: Response;
  try {
    response = await fetch(path, { ...init, signal });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    outage.value = 'The gateway does not answer. The page keeps trying.';
    throw new ProblemError({ type: 'unreachable', status: 0, detail: 'The gateway does not answer.' });
  }
  const body = await bodyOf(response);
  if (response.ok) {
    outage.value = undefined;
    return body;
  }
  throw refusal(response.status, body as Partial<Problem> | undefined);
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined; // the answer does not come from the gateway
  }
}

function refusal(status: number, body: Partial<Problem> | undefined): ProblemError {
  const problem = new ProblemError({
    type: body?.type ?? 'unknown',
    status,
    detail: body?.detail ?? body?.title ?? `The gateway answered with status ${String(status)}.`,
    errors: body?.errors,
  });
  if (status === 401 && me.value) {
    sessionEnded.value = true;
    me.value = null;
  }
  if (status === 503) outage.value = `${problem.message} The page keeps trying.`;
  return problem;
}

export async function loadMe(): Promise<void> {
  try {
    me.value = await read<Me>('/api/me');
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 401) throw error;
    me.value = null;
  }
}

export async function signIn(password: string): Promise<void> {
  await change('POST', '/api/sign-in', { password }, crypto.randomUUID());
  sessionEnded.value = false;
  await loadMe();
}

export async function signOut(): Promise<void> {
  await change('POST', '/api/sign-out', {}, crypto.randomUUID());
  sessionEnded.value = false;
  me.value = null;
}

const RANKS: Readonly<Record<Role, number>> = { viewer: 0, approver: 1, operator: 2, admin: 3 };

/** Reports whether the person has at least this role. The server enforces roles; the page only hides actions. */
export function may(role: Role): boolean {
  return me.value != null && RANKS[me.value.role] >= RANKS[role];
}
