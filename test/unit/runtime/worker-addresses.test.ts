import { describe, expect, it } from 'vitest';

import { defaultConfig } from '../../support/default-config.ts';
import { workerAddresses } from '../../../src/runtime/worker-protocol.ts';

const addresses = (workers: number, address?: string, token?: string) =>
  workerAddresses(
    defaultConfig({ server: { workers, extproc: { ...(address && { address }), ...(token && { token }) } } }),
    '/run/x',
  );

describe('the addresses of the workers', () => {
  it('are sockets in the run directory', () => {
    expect(addresses(2)).toEqual([
      { kind: 'unix', path: '/run/x/worker-0.sock' },
      { kind: 'unix', path: '/run/x/worker-1.sock' },
    ]);
  });

  it('are the configured socket for one worker, and the socket with an index for several', () => {
    expect(addresses(1, 'unix:/run/shared/e.sock')).toEqual([{ kind: 'unix', path: '/run/shared/e.sock' }]);
    expect(addresses(2, 'unix:/run/shared/e.sock')).toEqual([
      { kind: 'unix', path: '/run/shared/e.sock.0' },
      { kind: 'unix', path: '/run/shared/e.sock.1' },
    ]);
  });

  it('are ports from the configured one upwards', () => {
    expect(addresses(2, '127.0.0.1:9100', 'sixteen-characters')).toEqual([
      { kind: 'tcp', host: '127.0.0.1', port: 9100 },
      { kind: 'tcp', host: '127.0.0.1', port: 9101 },
    ]);
  });
});
