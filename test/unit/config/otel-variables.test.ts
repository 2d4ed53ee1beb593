import { describe, expect, it } from 'vitest';
import { preflightProblems } from '../../../src/config/preflight.ts';
import { maskConfig, serializeConfig } from '../../../src/config/print.ts';
import { load, problems, useRig } from './load/rig.ts';

useRig();

const ON = 'otel: {enabled: true}\n';
const otelOf = (yaml: string, env: Record<string, string>) => load(yaml, env).config.otel;

describe('OpenTelemetry’s variables', () => {
  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, 'http', 'http://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/base/' }, 'http', 'https://c/base/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4317' }, 'grpc', 'http://c:4317'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'c:4317' }, 'grpc', 'https://c:4317'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'c:4317', OTEL_EXPORTER_OTLP_INSECURE: 'true' }, 'grpc', 'http://c:4317'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:1', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t:2/in' },
      'http',
      'http://t:2/in',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:9', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'grpc',
      'http://c:9',
    ],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' },
      'http',
      'http://localhost:4318',
    ],
    [{ OTEL_TRACES_EXPORTER: 'console' }, 'stdout', 'localhost:4317'],
    [{}, 'grpc', 'localhost:4317'],
  ])('set the destination of traces: %j', (env, protocol, endpoint) => {
    expect(otelOf(ON, env)).toMatchObject({ protocol, endpoint });
  });

  it.each([
    ['always_off', undefined, 0],
    ['always_on', '0.5', 1],
    ['traceidratio', '0.25', 0.25],
    ['parentbased_traceidratio', '0.1', 0.1],
    ['parentbased_traceidratio', undefined, 1],
  ])('set the sampling of traces: %s %s', (sampler, argument, sampling_rate) => {
    const env = { OTEL_TRACES_SAMPLER: sampler, ...(argument && { OTEL_TRACES_SAMPLER_ARG: argument }) };
    expect(otelOf(ON, env)).toMatchObject({ sampling_rate, variables: env });
  });

  it('lose to gateway.yaml', () => {
    const yaml =
      'otel: {enabled: true, endpoint: "o:1", protocol: grpc, sampling_rate: 0.5, variables: {OTEL_SERVICE_NAME: ours}}\n';
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_TRACES_SAMPLER_ARG: '1',
      OTEL_SERVICE_NAME: 'theirs',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
    expect(otelOf(yaml, env)).toEqual({
      enabled: true,
      endpoint: 'o:1',
      protocol: 'grpc',
      viewer_url: '',
      sampling_rate: 0.5,
      variables: { OTEL_SERVICE_NAME: 'ours', OTEL_BSP_SCHEDULE_DELAY: '50' },
    });
  });

  it('win over otel.enabled if they disable all SDKs', () => {
    expect(otelOf(ON, { OTEL_SDK_DISABLED: 'TRUE' }).enabled).toBe(false);
    expect(otelOf(ON, { OTEL_TRACES_EXPORTER: 'none' }).enabled).toBe(false);
    expect(otelOf(ON, { OTEL_SDK_DISABLED: 'false' }).enabled).toBe(true);
  });

  it('do not count, and break nothing, while traces are off', () => {
    const env = { OTEL_TRACES_SAMPLER: 'nonsense', OTEL_EXPORTER_OTLP_ENDPOINT: 'nonsense' };
    expect(otelOf('', env)).toMatchObject({ enabled: false, endpoint: 'localhost:4317', variables: {} });
  });

  it('are named if they are invalid', () => {
    const env = {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'unix:///collector.sock',
      OTEL_TRACES_SAMPLER: 'jaeger_remote',
      OTEL_TRACES_SAMPLER_ARG: '2',
      OTEL_BSP_MAX_QUEUE_SIZE: '0',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd',
      OTEL_EXPORTER_OTLP_HEADERS: 'a=a secret',
    };
    const found = problems(ON, env);
    expect(found.map((line) => /^environment (\w+): otel\.[\w.]+: (?:must|is)/.exec(line)?.[1])).toEqual([
      'OTEL_BSP_MAX_QUEUE_SIZE',
      'OTEL_EXPORTER_OTLP_COMPRESSION',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'OTEL_TRACES_SAMPLER',
      'OTEL_TRACES_SAMPLER_ARG',
    ]);
    expect(problems('otel: {enabled: true, variables: {OTEL_X: a}}\n')[0]).toMatch(
      /OTEL_X: is not a variable that is passed/,
    );
  });

  it('must name certificates that can be read', () => {
    const env = { OTEL_EXPORTER_OTLP_CERTIFICATE: '/none/ca.pem', SERVER_INSECURE_DEV: 'true' };
    const { config, sources } = load(ON, env);
    expect(preflightProblems(config, sources)).toEqual([
      {
        where: 'environment OTEL_EXPORTER_OTLP_CERTIFICATE',
        path: 'otel.variables.OTEL_EXPORTER_OTLP_CERTIFICATE',
        message: 'names a file that is missing or cannot be read',
      },
    ]);
  });

  it('are printed, and headers are not', () => {
    const env = {
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=hidden-1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'hidden-2',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:hidden-3@c:4318',
      OTEL_RESOURCE_ATTRIBUTES: 'team=edge',
    };
    const printed = serializeConfig(maskConfig(load(ON, env).config)).otel;
    expect(printed).toMatchObject({
      endpoint: 'https://***:***@c:4318/v1/traces',
      protocol: 'http',
      variables: {
        OTEL_EXPORTER_OTLP_HEADERS: '***',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: '***',
        OTEL_RESOURCE_ATTRIBUTES: 'team=edge',
      },
    });
    expect(JSON.stringify(printed)).not.toContain('hidden');
  });
});
