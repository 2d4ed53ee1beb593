import { describe, expect, it, test } from 'vitest';
import { networkDetector } from '../../../../src/detectors/network/network.ts';
import { expectStreamContract, openWords, wordsIn } from '../stream-contract.ts';

describe('private and loopback addresses', () => {
  test.each([
    ['private_ipv4', '10.0.0.1'],
    ['private_ipv4', '10.255.255.254'],
    ['private_ipv4', '172.16.0.1'],
    ['private_ipv4', '172.31.255.254'],
    ['private_ipv4', '192.168.7.20'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.8.9.10'],
    ['loopback', '::1'],
  ])('are found as %s: %s', (rule, address) => {
    const start = 'bind to '.length;
    expect(networkDetector.find(`bind to ${address}.`)).toEqual([
      { detector: 'network', class: 'network', rule, start, end: start + address.length },
    ]);
  });

  test.each([
    ['http://10.20.30.40:8080/x', '10.20.30.40'],
    ['10.20.30.0/24', '10.20.30.0'],
    ['host10.20.30.40up', '10.20.30.40'],
    ['{"ip":"10.20.30.40"}', '10.20.30.40'],
    ['::ffff:10.20.30.40', '10.20.30.40'],
    ['box/10.20.30.40', '10.20.30.40'],
    ['10.20.30.40.nip.example', '10.20.30.40'],
    ['version 192.168.7.20', '192.168.7.20'],
    [String.raw`\n10.20.30.40`, '10.20.30.40'],
    [String.raw`\u00e910.20.30.40`, '10.20.30.40'],
    ['http://[::1]:3000/', '::1'],
    [String.raw`\n::1`, '::1'],
    ['::1/128', '::1'],
  ])('are found in %s', (text, address) => {
    expect(wordsIn(networkDetector, text)).toEqual([address]);
  });

  test.each([
    ['public addresses', '8.8.8.8 172.15.0.1 172.32.0.1 192.169.0.1 11.0.0.1 126.0.0.1 128.0.0.1'],
    ['link-local addresses', '169.254.1.2'],
    ['octets over 255', '10.256.0.1 192.168.1.300'],
    ['octets with a zero before', '10.01.0.1'],
    ['more digits', '110.0.0.1 10.0.0.1234'],
    ['more octets', '10.0.0.1.5 1.10.0.0.1'],
    ['fewer octets', '10.0.1'],
    ['versions', 'v10.1.2.3, version 10.1.2.3, Version=10.0.0.0, Chrome/127.0.0.0'],
    ['sections', 'see section 10.1.2.3 and § 10.1.2.4'],
    ['longer addresses', '2001:db8::1 fe80::1 ::1f ::1:2 a::1'],
    ['slices in Python', 'items[::1] f(x)[::1]'],
    ['scopes in C++', 'std::1st'],
  ])('are not found in %s', (_, text) => {
    expect(wordsIn(networkDetector, text)).toEqual([]);
  });
});

describe('a stream of addresses', () => {
  test.each([
    ['Here it is:', ''],
    ['In 2024', ''],
    ['That is all.', ''],
    ['from 1', '1'],
    ['from 10.20', '10.20'],
    ['from 10.20.30.40', '10.20.30.40'],
    ['from 10.20.30.40.', '10.20.30.40.'],
    ['from 10.20.30.40 ', ''],
    ['from :', ':'],
    ['from ::1', '::1'],
  ])('holds back only part of %j: %j', (text, open) => {
    expect(openWords(networkDetector, text)).toBe(open);
  });

  it('keeps its promises', () => {
    const pieces = ['10', '.', '0', '1', '127.0.0.1', '192.168', '172.16.', '256', '::1', ':', '[', ']'];
    const between = [' ', 'a', '_', 'v', 'Chrome/', 'version ', '\\', '\\n', '\\u00e9', '\\u0'];
    expectStreamContract(networkDetector, [...pieces, ...between], { maxOpenChars: 32 });
  });
});
