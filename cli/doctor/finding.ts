/** The result of one check. `off`: disabled by the configuration; `warn`: does not prevent a start. */
export interface Diagnosis {
  readonly check: Subject;
  readonly status: 'ok' | 'off' | 'warn' | 'fail';
  readonly message: string;
}

export const SUBJECTS = [
  'configuration',
  'redis',
  'envoy',
  'certificates',
  'identity',
  'engines',
  'probes',
  'credentials',
  'policies',
  'audit',
  'gateway',
] as const;

export type Subject = (typeof SUBJECTS)[number];

export function ok(check: Subject, message: string): Diagnosis {
  return { check, status: 'ok', message };
}

export function off(check: Subject, message: string): Diagnosis {
  return { check, status: 'off', message };
}

export function warn(check: Subject, message: string): Diagnosis {
  return { check, status: 'warn', message };
}

export function fail(check: Subject, message: string): Diagnosis {
  return { check, status: 'fail', message };
}
