import { GatewayError } from '../errors.ts';

/**
 * Versions of stored data that this build reads (docs/upgrading.md). Version 1 dates from commit 6e9f4f37.
 * `redis.write_version` selects the version to write.
 */
export const STORED_VERSIONS = [1, 2] as const;
export type StoredVersion = (typeof STORED_VERSIONS)[number];
const [OLDEST] = STORED_VERSIONS;
export const NEWEST_STORED_VERSION: StoredVersion = 2;

interface FormKeys {
  /** Key prefix, and suffix if other forms share the prefix. */
  readonly begin: string;
  readonly end?: string;
}

/** A packed string whose first byte is its own version, the same in all STORED_VERSIONS. */
interface PackedForm extends FormKeys {
  readonly byte: number;
}

/** A hash whose field `form` is the stored version; 1 if absent. */
interface HashForm extends FormKeys {
  readonly field: 'form';
}

/** Forms with a version. The form of other data changes only with its key name. */
export const STORED_FORMS = {
  ledger: { begin: 'gateway:spend:', byte: 2 },
  hold: { begin: 'gateway:hold:', byte: 2 },
  session: { begin: 'gateway:session_state:', byte: 2 },
  arrivals: { begin: 'gateway:loop:', end: '/arrivals', byte: 2 },
  /** A string whose entries each start with this character. */
  calls: { begin: 'gateway:loop:', byte: '1'.charCodeAt(0) },
  key: { begin: 'gateway:key:', field: 'form' },
  limits: { begin: 'gateway:budget:', field: 'form' },
  shared_budgets: { begin: 'gateway:shared_budgets:', field: 'form' },
  risk_profile: { begin: 'gateway:risk_profile:', field: 'form' },
  drift: { begin: 'gateway:drift:', field: 'form' },
  pins: { begin: 'gateway:mcp_pins:', field: 'form' },
  circuit: { begin: 'gateway:mcp_breaker:', field: 'form' },
  key_circuit: { begin: 'gateway:mcp_key_breaker:', field: 'form' },
} as const satisfies Readonly<Record<string, PackedForm | HashForm>>;

export type StoredForm = keyof typeof STORED_FORMS;

export class UnknownForm extends Error {
  readonly form: StoredForm;
  readonly version: string;

  constructor(form: StoredForm, version: string | number) {
    super(`${form} of version ${String(version)}`);
    this.name = 'UnknownForm';
    this.form = form;
    this.version = String(version);
  }
}

/** Returns the version field of a new hash; empty for the oldest version. */
export function formField(version: StoredVersion): readonly [] | readonly ['form', string] {
  return version === OLDEST ? [] : ['form', String(version)];
}

/**
 * @param version the `form` field of the hash
 * @throws UnknownForm
 */
export function checkForm(form: StoredForm, version: string | null | undefined): void {
  if (!isReadable(version)) throw new UnknownForm(form, version ?? '');
}

export function isReadable(version: string | null | undefined): boolean {
  return (
    version === null || version === undefined || STORED_VERSIONS.some((known) => String(known) === version)
  );
}

export function storedFormUnknown(unknown: UnknownForm): GatewayError {
  const { form, version } = unknown;
  return new GatewayError(
    'stored_form_unknown',
    `Redis contains data (${form}, version ${version}) that this gateway cannot read: run the gateway version that wrote ` +
      'it, or follow docs/upgrading.md to go back',
    { cause: unknown },
  );
}

/** Matches script errors such as `error('UNKNOWN_FORM ledger 3')`. */
const SCRIPT_FAILURE = /UNKNOWN_FORM ([a-z_]{1,32}) ([0-9a-z]{1,16})/;

export function unknownFormOf(failure: unknown): UnknownForm | undefined {
  if (failure instanceof UnknownForm) return failure;
  if (!(failure instanceof Error)) return undefined;
  const [, form = '', version = ''] = SCRIPT_FAILURE.exec(failure.message) ?? [];
  return isStoredForm(form) ? new UnknownForm(form, version) : undefined;
}

function isStoredForm(name: string): name is StoredForm {
  return Object.hasOwn(STORED_FORMS, name);
}

/** `redis.write_version`, by connection. */
const versions = new WeakMap<object, StoredVersion>();

export function setWriteVersion(client: object, version: StoredVersion): void {
  versions.set(client, version);
}

export function writeVersionOf(client: object): StoredVersion {
  return versions.get(client) ?? NEWEST_STORED_VERSION;
}
