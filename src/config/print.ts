import { Document, isPair, isScalar, isSeq, visit } from 'yaml';
import { MASK } from '../text/mask.ts';
import { isOpaqueSegment } from '../text/opaque-segment.ts';
import { formatDuration } from './duration.ts';
import { OTEL_SECRETS } from './otel-variables.ts';
import {
  configJsonSchema,
  configKeys,
  isDuration,
  schemaBelow,
  type Config,
  type ConfigInput,
  type JsonSchema,
} from './schema.ts';

/** Keys with secret values, at any depth. */
const SECRET_KEYS: ReadonlySet<string> = new Set(['password', 'secret', 'escalation_secret', 'token']);

/** Returns a copy for display, with `***` for secrets and possible credentials in URLs. */
export function maskConfig(config: Config): Config {
  return {
    ...withMasks(config),
    mcp: {
      ...withMasks(config.mcp),
      servers: config.mcp.servers.map((server) => ({
        ...withMasks(server),
        headers: maskHeaders(server.headers),
      })),
    },
    audit: {
      ...withMasks(config.audit),
      otlp: { ...withMasks(config.audit.otlp), headers: maskHeaders(config.audit.otlp.headers) },
    },
    alerting: { ...withMasks(config.alerting), webhook_url: maskWebhook(config.alerting.webhook_url) },
    otel: { ...withMasks(config.otel), variables: maskVariables(config.otel.variables) },
  };
}

function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]));
}

/** Masks header variables as a whole, because the end of a misspelled header name may be unclear. */
function maskVariables(variables: Config['otel']['variables']): Config['otel']['variables'] {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, OTEL_SECRETS.test(name) ? MASK : maskUrl(value)]),
  );
}

function withMasks<T>(value: T, key = ''): T {
  return maskedValue(value, key) as T;
}

function maskedValue(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, ''));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskedValue(item, name)]));
  }
  if (typeof value !== 'string' || value === '') return value;
  return SECRET_KEYS.has(key) ? MASK : maskUrl(value);
}

function maskUrl(value: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || !URL.canParse(value)) return value;
  const url = new URL(value);
  const path = url.pathname.split('/').map((segment) => (isOpaqueSegment(segment) ? MASK : segment));
  const isPlain = url.username === '' && url.password === '' && url.search === '';
  if (isPlain && !path.includes(MASK)) return value;
  if (url.username !== '') url.username = MASK;
  if (url.password !== '') url.password = MASK;
  if (url.search !== '') url.search = `?${MASK}`;
  url.pathname = path.join('/');
  return url.href;
}

/** Masks a webhook's path, because chat services put the credential there. */
function maskWebhook(value: string): string {
  return URL.canParse(value) ? `${new URL(value).origin}/${MASK}` : value;
}

/** Returns the effective configuration in the form of gateway.yaml, with durations such as `30s`. */
export function serializeConfig(config: Config): ConfigInput {
  const input = write(config, configJsonSchema()) as ConfigInput & { server: { insecure_dev?: boolean } };
  // Only the environment may set this key; a file that contains it is refused.
  delete input.server.insecure_dev;
  return input;
}

function write(value: unknown, schema: JsonSchema | undefined): unknown {
  if (typeof value === 'number' && schema && isDuration(schema)) return formatDuration(value);
  if (Array.isArray(value)) return value.map((item, nth) => write(item, schemaBelow(schema, nth)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => [name, write(item, schemaBelow(schema, name))]),
  );
}

/** Writes a configuration as YAML, each key under its description. */
export function explainConfig(input: ConfigInput): string {
  const descriptions = new Map(configKeys().map(({ path, description }) => [path, description]));
  const document = new Document(input);
  visit(document, {
    Pair(_position, pair, ancestors) {
      const steps = [...ancestors, pair].flatMap((node) => {
        if (isPair(node) && isScalar(node.key)) return [`.${String(node.key.value)}`];
        return isSeq(node) ? ['[]'] : [];
      });
      const description = descriptions.get(steps.join('').slice(1));
      if (isScalar(pair.key) && description) pair.key.commentBefore = ` ${description}`;
    },
  });
  return document.toString({ lineWidth: 0 });
}
