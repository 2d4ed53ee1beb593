import { GatewayError } from '../errors.ts';

/**
 * Stored forms that say their version, and where it stands. Every other form is a plain number, text, set or list, whose
 * version is its key's name: it changes by a new name (docs/upgrading.md).
 */
export const STORED_FORMS = {
  ledger: 'byte',
  hold: 'byte',
  session: 'byte',
  arrivals: 'byte',
  calls: 'byte',
  /** The marker of the whole Redis. */
  store: 'value',
} as const;

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
