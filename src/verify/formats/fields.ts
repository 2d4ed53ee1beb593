import { isObject } from '../../json/is-object.ts';
import { hash } from 'node:crypto';
import { providers, type Provider, type ProviderName } from '../../providers/registry.ts';
import { SESSION_ID } from '../../conversation/session-name.ts';
import type { AgentFields } from '../schema.ts';
import type { StepAgent } from '../step.ts';

export type TraceFields = Readonly<Record<string, unknown>>;

export function firstOf(fields: TraceFields, names: readonly string[]): unknown {
  const name = names.find(
    (each) => Object.hasOwn(fields, each) && fields[each] !== null && fields[each] !== undefined,
  );
  return name === undefined ? undefined : fields[name];
}

export function stringIn(fields: TraceFields, names: readonly string[]): string | undefined {
  const value = firstOf(fields, names);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const ALL: readonly Provider[] = Object.values(providers);

export function providerNamed(name: string): ProviderName | undefined {
  const lower = name.toLowerCase();
  return ALL.find((provider) => provider.name === lower || provider.traces?.aliases?.includes(lower) === true)
    ?.name;
}

export function providerOfModel(model = ''): ProviderName {
  return ALL.find(({ traces }) => traces?.models?.test(model) === true)?.name ?? 'openai';
}

/** Returns the id, or its digest if it is not a valid session id. */
export function sessionIdOf(written: string): string {
  return SESSION_ID.test(written) ? written : hash('sha256', written, 'base64url');
}

const UNKNOWN_NAME = 'trace';

/** Returns an agent. A missing id, name or key hash is derived from the others. */
export function agentOf(written: string | AgentFields): StepAgent {
  const fields = typeof written === 'string' ? { id: written } : written;
  const name = fields.name ?? fields.id ?? fields.key_hash ?? UNKNOWN_NAME;
  const id = fields.id ?? name;
  return {
    id,
    name,
    keyHash: fields.key_hash ?? `sha256:${hash('sha256', `agent of a trace: ${id}`)}`,
    owner: fields.owner ?? undefined,
    provider: fields.provider ?? undefined,
    tags: fields.tags ?? {},
    allowedTools: fields.allowed_tools ?? undefined,
    allowedModels: fields.allowed_models ?? undefined,
    allowedProviders: fields.allowed_providers ?? undefined,
  };
}

export const UNKNOWN_AGENT = agentOf(UNKNOWN_NAME);

const RFC_3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/i;
/** Larger Unix times are in milliseconds. */
const MAX_SECONDS = 1e11;
const MAX_MS = 8.64e15;

/** Returns Unix ms, or undefined for an invalid time. */
export function timeOf(written: string | number): number | undefined {
  if (typeof written === 'string') {
    if (/^\d{1,13}(?:\.\d{1,9})?$/.test(written)) return timeOf(Number(written));
    if (!RFC_3339.test(written)) return undefined;
    const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(written);
    const ms = Date.parse(hasZone ? written : `${written}Z`);
    return Number.isNaN(ms) ? undefined : ms;
  }
  if (!Number.isFinite(written) || written < 0) return undefined;
  const ms = Math.floor(written < MAX_SECONDS ? written * 1_000 : written);
  return ms <= MAX_MS ? ms : undefined;
}

/** Parses arguments that are written as the JSON of an object. */
export function argumentsOf(written: unknown): unknown {
  if (typeof written !== 'string') return written ?? undefined;
  try {
    const parsed: unknown = JSON.parse(written);
    return isObject(parsed) ? parsed : written;
  } catch {
    // The text itself is the argument.
    return written;
  }
}
