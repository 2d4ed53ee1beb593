/** Key records as Redis hashes: field names as in docs/keys.md, arrays and objects as JSON, times as Unix ms. */
import * as z from 'zod';
import { INSTRUCTION_ROLES, type InstructionRole } from '../providers/instructions.ts';
import { PROVIDER_NAMES, type ProviderName } from '../providers/registry.ts';
import { MAX_OVERRIDES, RULE_MODES } from '../policy/rule-modes.ts';
import { isPlainLabel, LABEL_RULE } from '../text/label.ts';
import { checkForm } from '../redis/stored-forms.ts';
import type { KeyRecord } from './key-record.ts';

export type KeyFields = Readonly<Record<string, string>>;

const label = z.string().refine(isPlainLabel, { error: LABEL_RULE });
const name = label.min(1).max(256);
const names = z.array(name).max(1_000);
const credentials = names.max(100);
const overrides = z
  .record(name, z.enum(RULE_MODES))
  .refine((modes) => Object.keys(modes).length <= MAX_OVERRIDES, {
    error: `must contain at most ${String(MAX_OVERRIDES)} rules`,
  });

export const newKeySchema = z.strictObject({
  name: label
    .regex(/^[^]{1,128}$/u, { error: 'must be 1 to 128 characters' })
    .refine((value) => !/^(gw-|sha256:)/.test(value), { error: 'must not look like a key or a hash' }),
  provider: z.enum(PROVIDER_NAMES),
  agentName: name.optional(),
  owner: name.optional(),
  allowedTools: names.optional(),
  allowedProviders: z.array(z.enum(PROVIDER_NAMES)).optional(),
  allowedModels: names.optional(),
  tags: z.record(name, label.max(1_024)).optional(),
  credentials: credentials.optional(),
  trust: z.array(z.enum(INSTRUCTION_ROLES)).optional(),
  policyOverrides: overrides.optional(),
  jwtSubject: name.optional(),
  expiresInMs: z.int().min(1).optional(),
});

/** Values that can change later. Absent values remain unchanged. */
export const keyChangeSchema = z.strictObject({
  policyOverrides: overrides.optional(),
  credentials: credentials.optional(),
});

export type KeyChange = z.output<typeof keyChangeSchema>;

/** Returns the changed fields. An empty value removes its field. */
export function changedFields({ policyOverrides, credentials }: KeyChange): Record<string, string> {
  return {
    ...(policyOverrides && { policy_overrides: jsonOrEmpty(policyOverrides) }),
    ...(credentials && { credentials: jsonOrEmpty(credentials) }),
  };
}

function jsonOrEmpty(value: object): string {
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}

const storedList = z.array(z.string());
const storedMap = z.record(z.string(), z.string());

export type NewKey = z.output<typeof newKeySchema>;

/** Returns the fields of a new record, except the times, which the script adds. */
export function newKeyFields(keyHash: string, key: NewKey): Record<string, string> {
  const fields: Record<string, string | undefined> = {
    key_hash: keyHash,
    name: key.name,
    provider: key.provider,
    agent_name: key.agentName,
    owner: key.owner,
    allowed_tools: toJson(key.allowedTools),
    allowed_providers: toJson(key.allowedProviders),
    allowed_models: toJson(key.allowedModels),
    tags: toJson(key.tags),
    credentials: toJson(key.credentials),
    trust: toJson(key.trust),
    policy_overrides: toJson(key.policyOverrides),
    jwt_subject: key.jwtSubject,
  };
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function toJson(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** Returns the name of the field with a raw key's expiry: Unix ms, or empty if the raw key has no expiry of its own. */
export function rawKeyField(rawHash: string): string {
  return `raw:${rawHash}`;
}

/** @throws Error if the record is damaged, or if its form is unknown */
export function parseKeyRecord(fields: KeyFields): KeyRecord {
  checkForm('key', fields['form']);
  const { key_hash: keyHash, name: keyName, provider, created_at: createdAt } = fields;
  const known = PROVIDER_NAMES.find((candidate) => candidate === provider);
  if (keyHash === undefined || keyName === undefined || known === undefined || createdAt === undefined) {
    throw new Error('A stored key record is damaged');
  }
  return {
    keyHash,
    name: keyName,
    provider: known,
    tags: parseTags(fields['tags']),
    createdAt: toTime(createdAt),
    ...optional('agentName', fields['agent_name']),
    ...optional('owner', fields['owner']),
    ...optional('allowedTools', parseList(fields['allowed_tools'])),
    ...optional('allowedProviders', parseList(fields['allowed_providers'])?.filter(isProviderName)),
    ...optional('allowedModels', parseList(fields['allowed_models'])),
    ...optional('credentials', parseList(fields['credentials'])),
    ...optional('trust', parseList(fields['trust'])?.filter(isInstructionRole)),
    ...optional('policyOverrides', parseOverrides(fields['policy_overrides'])),
    ...optional('jwtSubject', fields['jwt_subject']),
    ...optional('expiresAt', toOptionalTime(fields['expires_at'])),
    ...optional('revokedAt', toOptionalTime(fields['revoked_at'])),
    ...optional('lastUsedAt', toOptionalTime(fields['last_used_at'])),
  };
}

function optional<Name extends string, Value>(
  key: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [Key in Name]: Value });
}

function isProviderName(value: string): value is ProviderName {
  return PROVIDER_NAMES.some((known) => known === value);
}

function isInstructionRole(value: string): value is InstructionRole {
  return INSTRUCTION_ROLES.some((known) => known === value);
}

function parseList(json: string | undefined): string[] | undefined {
  return json === undefined ? undefined : storedList.parse(parseStoredJson(json));
}

function parseTags(json: string | undefined): Record<string, string> {
  return json === undefined ? {} : storedMap.parse(parseStoredJson(json));
}

function parseOverrides(json: string | undefined): KeyRecord['policyOverrides'] {
  return json === undefined ? undefined : overrides.parse(parseStoredJson(json));
}

function parseStoredJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error('A stored key record is damaged', { cause });
  }
}

function toOptionalTime(written: string | undefined): number | undefined {
  return written === undefined ? undefined : toTime(written);
}

function toTime(written: string): number {
  if (!/^\d{1,16}$/.test(written)) throw new Error('A stored key record is damaged');
  return Number(written);
}
