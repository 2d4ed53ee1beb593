/** The rules of `credentials` findings. */
export const CREDENTIAL_RULES = [
  'password',
  'named_secret',
  'url_password',
  'command_password',
  'pgpass_password',
] as const;

export type CredentialRule = (typeof CREDENTIAL_RULES)[number];
