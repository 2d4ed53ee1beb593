/** Building blocks of the section files. The text of a rule is also its error message. */
import { isIP } from 'node:net';
import * as z from 'zod';
import { parseExtprocAddress, parseHostPort } from './address.ts';
import { DURATION_PATTERN, DURATION_RULE, parseDuration } from './duration.ts';

/** A mapping that rejects unknown keys. */
export function section<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.strictObject(shape);
}

export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** Marks keys that Envoy's configuration or the supervisor uses: changes take effect only at the next start. */
export function needsRestart<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ 'x-restart': true }) as Schema;
}

/** Lets an environment variable override a key, and adds this to the description. */
export function overriddenBy<Schema extends z.ZodType>(variable: string, schema: Schema): Schema {
  const description = `${schema.description ?? ''} \`${variable}\` overrides it.`;
  return schema.meta({ description, 'x-environment': variable }) as Schema;
}

/** A loaded section: validated, complete, frozen. */
export type Settings<Section extends z.ZodType> = DeepReadonly<z.output<Section>>;

const durationText = z
  .union([z.string().regex(DURATION_PATTERN), z.literal(0)], { error: DURATION_RULE })
  .transform((text, context) => {
    const durationMs = parseDuration(String(text));
    if (durationMs !== undefined) return durationMs;
    context.addIssue({ code: 'custom', message: `${DURATION_RULE}, at most 10 years` });
    return z.NEVER;
  });

/** A positive duration, in milliseconds once loaded. */
export function duration(preset: string) {
  return durationText
    .refine((durationMs) => durationMs > 0, { error: `${DURATION_RULE}, and more than zero` })
    .prefault(preset);
}

export function durationOrZero(preset: string) {
  return durationText.prefault(preset);
}

export const port = z.int().min(1).max(65_535);
export const count = z.int().min(0).max(1_000_000_000);
export const positiveCount = z.int().min(1).max(1_000_000_000);
export const fraction = z.number().min(0).max(1);

export const ipAddress = z.string().refine((host) => isIP(host) !== 0, {
  error: 'must be an IP address',
});

export const hostName = z.string().regex(/^[A-Za-z0-9._:-]{1,253}$/, {
  error: 'must be a host name or an IP address',
});

export const hostPort = z.string().refine((text) => parseHostPort(text) !== undefined, {
  error: 'must be host:port or [IPv6]:port',
});

/** `:authority` as clients send it: with the port, unless it is the default port of the scheme. */
export const authority = z.string().regex(/^(?:[a-z0-9-]{1,63}\.)*[a-z0-9-]{1,63}(?::\d{1,5})?$/, {
  error: 'must be a lower-case host name without wildcards; a port is optional',
});

export const extprocAddress = z.string().refine((text) => parseExtprocAddress(text) !== undefined, {
  error: 'must be unix:/absolute/path or host:port',
});

/** Relative paths start at the working directory. */
export const filePath = z.string().min(1).max(4_096);

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol } = new URL(text);
  return protocol === 'http:' || protocol === 'https:';
}

export const httpUrl = z.string().refine(isHttpUrl, { error: 'must be an http:// or https:// URL' });

export const httpUrlOrEmpty = z.string().refine((text) => text === '' || isHttpUrl(text), {
  error: 'must be an http:// or https:// URL, or empty',
});

/** Root URL of an API, to which the gateway appends paths. Loaded without trailing slashes. */
export const baseUrl = z
  .string()
  .refine(
    (text) => {
      if (!isHttpUrl(text)) return false;
      const url = new URL(text);
      return url.username === '' && url.password === '' && !/[?#]/.test(text);
    },
    { error: 'must be an http:// or https:// URL without credentials, query or fragment' },
  )
  .transform((text) => text.replace(/(?<!\/)\/+$/, ''));
