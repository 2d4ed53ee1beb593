import type * as z from 'zod';
import { KeyError } from '../../auth/key-store.ts';
import { ERROR_STATUS, GatewayError } from '../../errors.ts';
import { ChangeRefused } from '../changed.ts';
import type { Problem } from './schemas/people.ts';

/** Error types of the operator API that docs/refusals.md does not list. */
const API_STATUS = {
  not_signed_in: 401,
  sign_in_failed: 401,
  forbidden: 403,
  /** The request was sent from another site, or its CSRF token is missing or wrong. */
  cross_site_request: 403,
  conflict: 409,
  internal_error: 500,
} as const;

const STATUS = { ...ERROR_STATUS, ...API_STATUS } as const;

export type ApiErrorType = keyof typeof STATUS;

/** Thrown to refuse an API request. The message is for the operator. */
export class ApiError extends Error {
  readonly type: ApiErrorType;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: Problem['errors'];

  constructor(
    type: ApiErrorType,
    message: string,
    options: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly errors?: Problem['errors'];
    } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.type = type;
    this.headers = options.headers ?? {};
    this.errors = options.errors;
  }
}

export interface ProblemAnswer {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the answer to an expected error, or undefined for internal failures, whose cause stays hidden. */
export function knownProblem(thrown: unknown): ProblemAnswer | undefined {
  if (thrown instanceof ApiError || thrown instanceof GatewayError) {
    const { type, message, headers } = thrown;
    return problemAnswer(type, message, headers, thrown instanceof ApiError ? thrown.errors : undefined);
  }
  if (thrown instanceof KeyError) return problemAnswer(thrown.kind, thrown.message);
  if (thrown instanceof ChangeRefused) return problemAnswer('conflict', thrown.message);
  return undefined;
}

export function internalProblem(): ProblemAnswer {
  return problemAnswer('internal_error', 'the gateway failed: see its log');
}

/** @throws ApiError that lists the invalid members */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  part: 'query' | 'body',
): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const errors = read.error.issues
    .slice(0, MAX_ERRORS)
    .map(({ path, message }) => ({ at: path.map(String).join('.'), message }));
  const [first] = errors;
  const where = first === undefined || first.at === '' ? part : `${part}: ${first.at}`;
  throw new ApiError('invalid_request', `${where}: ${first?.message ?? 'invalid'}`, { errors });
}

const MAX_ERRORS = 16;

function problemAnswer(
  type: ApiErrorType,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
  errors?: Problem['errors'],
): ProblemAnswer {
  const title = type.replaceAll('_', ' ');
  return { problem: { type, title, status: STATUS[type], detail, ...(errors && { errors }) }, headers };
}
