import { isObject } from '../json/is-object.ts';
import type { Environment } from './environment.ts';

const POSITIVE = /^[1-9][0-9]{0,8}$/;
const ANY = /^[^]{1,8192}$/;
const FRACTION = /^(?:0(?:\.[0-9]{1,15})?|1(?:\.0{1,15})?|\.[0-9]{1,15})$/;
const SAMPLERS = /^(?:parentbased_)?(?:always_on|always_off|traceidratio)$/;

interface VariableForm {
  readonly pattern: RegExp;
  readonly rule: string;
}

const text: VariableForm = { pattern: ANY, rule: 'must have 1 to 8192 characters' };
const number: VariableForm = { pattern: POSITIVE, rule: 'must be a whole number above 0' };

/** Returns the forms of two variables: one for all signals, and one for traces, which takes precedence. */
function exporter(name: string, form: VariableForm): Readonly<Record<string, VariableForm>> {
  return { [`OTEL_EXPORTER_OTLP_${name}`]: form, [`OTEL_EXPORTER_OTLP_TRACES_${name}`]: form };
}

/**
 * OpenTelemetry variables that the gateway passes to the SDK (opentelemetry.io/docs/specs/otel/configuration).
 * Variables for endpoint, protocol and exporter set keys of `otel` instead.
 */
const VARIABLES: Readonly<Record<string, VariableForm>> = {
  OTEL_SERVICE_NAME: text,
  OTEL_RESOURCE_ATTRIBUTES: text,
  OTEL_TRACES_SAMPLER: {
    pattern: SAMPLERS,
    rule: 'must be always_on, always_off or traceidratio, optionally with the prefix parentbased_',
  },
  OTEL_TRACES_SAMPLER_ARG: { pattern: FRACTION, rule: 'must be a number from 0 to 1' },
  ...exporter('HEADERS', text),
  ...exporter('TIMEOUT', number),
  ...exporter('COMPRESSION', { pattern: /^(?:gzip|none)$/, rule: 'must be gzip or none' }),
  ...exporter('CERTIFICATE', text),
  ...exporter('CLIENT_CERTIFICATE', text),
  ...exporter('CLIENT_KEY', text),
  OTEL_BSP_MAX_QUEUE_SIZE: { pattern: /^[1-9][0-9]{0,5}$/, rule: 'must be 1 to 999999' },
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: number,
  OTEL_BSP_SCHEDULE_DELAY: number,
  OTEL_BSP_EXPORT_TIMEOUT: number,
  OTEL_ATTRIBUTE_COUNT_LIMIT: number,
  OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: number,
  OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: number,
  OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: number,
  OTEL_SPAN_EVENT_COUNT_LIMIT: number,
};

/** Returns why a variable in `otel.variables` is invalid, or undefined if it is valid. */
export function otelVariableFault(name: string, value: string): string | undefined {
  const form = VARIABLES[name];
  if (form === undefined)
    return `is not a variable that is passed to OpenTelemetry; known variables: ${Object.keys(VARIABLES).join(', ')}`;
  return form.pattern.test(value) ? undefined : form.rule;
}

export const OTEL_FILES = /_(?:CERTIFICATE|KEY)$/;
/** Variables that contain credentials as `name=value` pairs. */
export const OTEL_SECRETS = /_HEADERS$/;

const SAMPLER = 'OTEL_TRACES_SAMPLER';
const SAMPLER_ARG = 'OTEL_TRACES_SAMPLER_ARG';

/**
 * Fills unset keys of `otel` from OpenTelemetry variables if `otel.enabled` is true. Variables may also set it to
 * false.
 * @param values configuration values before validation, changed in place
 * @returns the dotted paths that were set, each with the name of its variable
 */
export function fillFromOtelVariables(
  values: Record<string, unknown>,
  env: Environment,
): ReadonlyMap<string, string> {
  const set = new Map<string, string>();
  const { otel } = values;
  if (!isObject(otel) || (otel['enabled'] !== true && otel['enabled'] !== 'true')) return set;
  const filled: Record<string, unknown> = otel;

  const named = (...names: string[]): string | undefined =>
    names.find((name) => (env[name] ?? '').trim() !== '');
  function fill(key: string, value: unknown, variable: string): void {
    filled[key] = value;
    set.set(`otel.${key}`, variable);
  }

  const disabling = switchedOff(env);
  if (disabling !== undefined) {
    fill('enabled', false, disabling);
    return set;
  }
  fillTransport(filled, env, { named, fill });
  fillVariables(filled, env, set);
  return set;
}

/** Operators use these variables to switch off tracing on a host, so they override `otel.enabled`. */
function switchedOff(env: Environment): string | undefined {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return 'OTEL_SDK_DISABLED';
  return env['OTEL_TRACES_EXPORTER']?.trim() === 'none' ? 'OTEL_TRACES_EXPORTER' : undefined;
}

interface Filling {
  readonly named: (...names: string[]) => string | undefined;
  readonly fill: (key: string, value: unknown, variable: string) => void;
}

const PROTOCOLS: Readonly<Record<string, string>> = { grpc: 'grpc', 'http/protobuf': 'http' };

function fillTransport(otel: Record<string, unknown>, env: Environment, { named, fill }: Filling): void {
  const protocol = named('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL');
  const forTraces = named('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const endpoint =
    otel['endpoint'] === undefined ? (forTraces ?? named('OTEL_EXPORTER_OTLP_ENDPOINT')) : undefined;
  const address = endpoint === undefined ? '' : (env[endpoint] ?? '').trim();
  if (otel['protocol'] === undefined) {
    if (env['OTEL_TRACES_EXPORTER']?.trim() === 'console') fill('protocol', 'stdout', 'OTEL_TRACES_EXPORTER');
    else if (protocol !== undefined) {
      const value = (env[protocol] ?? '').trim();
      fill('protocol', PROTOCOLS[value] ?? value, protocol);
    } else if (endpoint !== undefined) fill('protocol', defaultProtocol(address), endpoint);
  }
  const isHttp = otel['protocol'] === 'http';
  if (endpoint !== undefined) {
    const url = withScheme(address, env, named);
    fill('endpoint', isHttp && endpoint !== forTraces ? withTracesPath(url) : url, endpoint);
  } else if (otel['endpoint'] === undefined && isHttp && protocol !== undefined) {
    fill('endpoint', 'http://localhost:4318', protocol);
  }
}

/** Returns OpenTelemetry's default protocol, unless the port is the one for gRPC. */
function defaultProtocol(endpoint: string): string {
  return /:4317\/?$/.test(endpoint) ? 'grpc' : 'http';
}

/** An endpoint without a scheme uses TLS unless `OTEL_EXPORTER_OTLP_INSECURE`, or its variant for traces, is true. */
function withScheme(endpoint: string, env: Environment, named: Filling['named']): string {
  if (/^[a-z]{1,8}:\/\//i.test(endpoint)) return endpoint;
  const variable = named('OTEL_EXPORTER_OTLP_TRACES_INSECURE', 'OTEL_EXPORTER_OTLP_INSECURE');
  const isInsecure = variable !== undefined && env[variable]?.trim().toLowerCase() === 'true';
  return `${isInsecure ? 'http' : 'https'}://${endpoint}`;
}

function withTracesPath(endpoint: string): string {
  if (!URL.canParse(endpoint)) return endpoint;
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`}v1/traces`;
  return url.href;
}

function fillVariables(otel: Record<string, unknown>, env: Environment, set: Map<string, string>): void {
  const configured = otel['variables'] ?? {};
  if (!isObject(configured)) return; // reported by validation
  const variables: Record<string, unknown> = { ...configured };
  const hasRate = otel['sampling_rate'] !== undefined;
  for (const name of Object.keys(VARIABLES)) {
    const value = env[name]?.trim() ?? '';
    if (value === '' || variables[name] !== undefined) continue;
    if (hasRate && (name === SAMPLER || name === SAMPLER_ARG)) continue;
    variables[name] = value;
    set.set(`otel.variables.${name}`, name);
  }
  if (hasRate || variables[SAMPLER] === undefined) {
    delete variables[SAMPLER];
    delete variables[SAMPLER_ARG];
  } else {
    const rate = rootRate(String(variables[SAMPLER]), variables[SAMPLER_ARG]);
    otel['sampling_rate'] = rate;
    set.set('otel.sampling_rate', SAMPLER);
  }
  if (Object.keys(variables).length > 0) otel['variables'] = variables;
}

/** Returns the share of new traces that a sampler records. */
function rootRate(sampler: string, argument: unknown): number {
  if (sampler.endsWith('always_off')) return 0;
  return sampler.endsWith('traceidratio') && argument !== undefined && FRACTION.test(String(argument))
    ? Number(argument)
    : 1;
}

/** Sets exactly these OpenTelemetry variables in `process.env`, where the SDK reads them. */
export function useOtelVariables(variables: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(VARIABLES)) {
    const value = variables[name];
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
}
