import { GatewayError } from '../errors.ts';

/**
 * Versions of the stored forms that this build reads (docs/upgrading.md): that of today and the one before, of commit
 * 6e9f4f37. It writes what `redis.write_version` says.
 */
export const STORED_VERSIONS = [1, 2] as const;
export type StoredVersion = (typeof STORED_VERSIONS)[number];
const [OLDEST] = STORED_VERSIONS;
export const NEWEST_STORED_VERSION: StoredVersion = 2;

interface FormKeys {
  /** What the keys of the form begin with, and what they end with if others begin alike. */
  readonly begin: string;
  readonly end?: string;
}

/** A packed string, whose first byte is a version of its own: the same one in all of STORED_VERSIONS. */
interface PackedForm extends FormKeys {
  readonly byte: number;
}

/** A hash, whose field `form` is the stored version; without it, 1. */
interface HashForm extends FormKeys {
  readonly field: 'form';
}

/**
 * Stored forms that say their version. All others are plain numbers, texts, sets or lists, whose version is the name of
 * their key: they change by a new name.
 */
export const STORED_FORMS = {
  ledger: { begin: 'gateway:spend:', byte: 2 },
  hold: { begin: 'gateway:hold:', byte: 2 },
  session: { begin: 'gateway:session_state:', byte: 2 },
  arrivals: { begin: 'gateway:loop:', end: '/arrivals', byte: 2 },
  /** Read and appended as text: each entry begins with this character. */
  calls: { begin: 'gateway:loop:', byte: '1'.charCodeAt(0) },
  key: { begin: 'gateway:key:', field: 'form' },
  limits: { begin: 'gateway:budget:', field: 'form' },
  risk_profile: { begin: 'gateway:risk_profile:', field: 'form' },
  drift: { begin: 'gateway:drift:', field: 'form' },
  pins: { begin: 'gateway:mcp_pins:', field: 'form' },
  circuit: { begin: 'gateway:mcp_breaker:', field: 'form' },
  key_circuit: { begin: 'gateway:mcp_key_breaker:', field: 'form' },
} as const satisfies Readonly<Record<string, PackedForm | HashForm>>;

export type StoredForm = keyof typeof STORED_FORMS;

/** A value in Redis has a version that this build does not read. */
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

/** Field and value that say the version of a hash written now, if that version has them. */
export function formField(version: StoredVersion): readonly [] | readonly ['form', string] {
  return version === OLDEST ? [] : ['form', String(version)];
}

/**
 * @param version the field `form` of a hash
 * @throws UnknownForm
 */
export function checkForm(form: StoredForm, version: string | null | undefined): void {
  if (!isReadable(version)) throw new UnknownForm(form, version ?? '');
}

export function isReadable(version: string | null | undefined): boolean {
  return version === null || version === undefined || STORED_VERSIONS.some((one) => String(one) === version);
}

/** Returns the refusal for a stored value whose version this build does not read. */
export function storedFormUnknown(unknown: UnknownForm): GatewayError {
  const { form, version } = unknown;
  return new GatewayError(
    'stored_form_unknown',
    `Redis holds data (${form}, version ${version}) that this gateway cannot read: run the gateway version that wrote ` +
      'it, or follow docs/upgrading.md to go back',
    { cause: unknown },
  );
}

/** As scripts fail with it: `error('UNKNOWN_FORM ledger 3')`. */
const SCRIPT_FAILURE = /UNKNOWN_FORM ([a-z_]{1,32}) ([0-9a-z]{1,16})/;

/** Reads an unknown form out of a script's failure. */
export function unknownFormOf(failure: unknown): UnknownForm | undefined {
  if (failure instanceof UnknownForm) return failure;
  if (!(failure instanceof Error)) return undefined;
  const [, form = '', version = ''] = SCRIPT_FAILURE.exec(failure.message) ?? [];
  return isStoredForm(form) ? new UnknownForm(form, version) : undefined;
}

function isStoredForm(name: string): name is StoredForm {
  return Object.hasOwn(STORED_FORMS, name);
}
