import { describe, expect, it } from 'vitest';
import { isLoopbackHost, parseExtprocAddress, parseHostPort } from '../../../src/config/address.ts';

describe('host:port', () => {
  it.each([
    ['localhost:6379', { host: 'localhost', port: 6379 }],
    ['10.0.0.1:1', { host: '10.0.0.1', port: 1 }],
    ['[::1]:65535', { host: '::1', port: 65_535 }],
  ])('%s', (written, parsed) => {
    expect(parseHostPort(written)).toEqual(parsed);
  });

  it.each(['', 'host', ':1', 'host:0', 'host:65536', '::1:80', '[host]:1', 'redis://h:1', 'a b:1', 'h:1/x'])(
    '%j is not an address',
    (written) => {
      expect(parseHostPort(written)).toBeUndefined();
    },
  );
});

describe('the address of the sidecar', () => {
  it('is a socket or host:port', () => {
    expect(parseExtprocAddress('unix:/run/a.sock')).toEqual({ kind: 'unix', path: '/run/a.sock' });
    expect(parseExtprocAddress('0.0.0.0:9001')).toEqual({ kind: 'tcp', host: '0.0.0.0', port: 9001 });
    expect(parseExtprocAddress('unix:relative')).toBeUndefined();
  });
});

describe('loopback', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])('%s never leaves', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each(['127.0.0.1.example', 'localhost.example', '10.0.0.1', '0.0.0.0', '::', '128.0.0.1', ''])(
    '%s may leave',
    (host) => {
      expect(isLoopbackHost(host)).toBe(false);
    },
  );
});
