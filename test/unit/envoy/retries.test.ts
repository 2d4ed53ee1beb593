import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { loadConfig } from '../../../src/config/load.ts';
import type { SidecarAddress } from '../../../src/envoy/layout.ts';
import { renderEnvoy } from '../../../src/envoy/render.ts';

const socket = (name: string): SidecarAddress => ({ kind: 'unix', path: `/run/gateway/${name}.sock` });

/** The retry settings of the filter that calls the sidecar. */
function retries(sidecars: readonly SidecarAddress[]): unknown {
  const { config } = loadConfig({ path: undefined, env: { SERVER_INSECURE_DEV: 'true' } });
  const rendered = renderEnvoy(config, {
    sidecars,
    adminSocketPath: '/run/gateway/admin.sock',
    systemCaFile: '/etc/ssl/ca.pem',
    accessLogPath: '/dev/stdout',
  });
  const found: unknown[] = [];
  function seek(value: unknown): void {
    const one = z.looseObject({ grpc_service: z.looseObject({}) }).safeParse(value);
    if (one.success) found.push(one.data.grpc_service['retry_policy']);
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(seek);
  }
  seek(parse(rendered));
  expect(found).toHaveLength(1);
  return found[0];
}

describe('a stream that a worker did not answer', () => {
  it.each<[string, SidecarAddress[]]>([
    ['of two workers', [socket('0'), socket('1')]],
    ['of a host name, which may have many addresses', [{ kind: 'tcp', host: 'sidecar', port: 9001 }]],
  ])('is retried on another one %s', (_, sidecars) => {
    expect(retries(sidecars)).toMatchObject({ num_retries: 3, retry_host_predicate: [{ name: 'other' }] });
  });

  it('is not retried if there is only one', () => {
    expect(retries([socket('0')])).toBeUndefined();
  });
});
