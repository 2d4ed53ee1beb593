import { describe, expect, it, test } from 'vitest';
import { internalHostDetector } from '../../../../src/detectors/network/internal-host.ts';
import { expectStreamContract, openWords, wordsIn } from '../stream-contract.ts';

describe('host names of private networks', () => {
  test.each([
    ['internal_host', 'db7.prod.internal'],
    ['internal_host', 'ip-10-20-30-40.ec2.internal'],
    ['internal_host', 'wiki.corp'],
    ['internal_host', 'Anns-MacBook.local'],
    ['internal_host', 'iMac.local'],
    ['internal_host', 'Jörgs-Drucker.local'],
    ['internal_host', 'WIKI.CORP'],
    ['internal_host', 'Wiki.Internal'],
    ['internal_host', 'wiki7.CORP'],
    ['internal_host', 'wiki7.Corp'],
    ['internal_host', '_http._tcp.local'],
    ['localhost', 'localhost'],
    ['localhost', 'LOCALHOST'],
    ['localhost', 'shop.localhost'],
    ['localhost', 'localhost.localdomain'],
  ])('are found as %s: %s', (rule, name) => {
    expect(internalHostDetector.find(`ping ${name}.`)).toEqual([
      { detector: 'network', class: 'network', rule, start: 5, end: 5 + name.length },
    ]);
  });

  test.each([
    ['https://wiki.corp/a?b', 'wiki.corp'],
    ['//nas.local/share', 'nas.local'],
    [String.raw`\\nas.corp\share`, 'nas.corp'],
    ['ann@wiki.corp', 'wiki.corp'],
    ['host=wiki.corp;', 'wiki.corp'],
    ['wiki.corp:8080', 'wiki.corp'],
    ['"wiki.corp"', 'wiki.corp'],
    [String.raw`\nwiki.corp\n`, 'wiki.corp'],
    [String.raw`\tlocalhost`, 'localhost'],
    ['http://localhost:3000/', 'localhost'],
    ['请连接wiki.corp。', 'wiki.corp'],
    ['https://wiki.INTERNAL/a', 'wiki.INTERNAL'],
    ['https://fileServer.local', 'fileServer.local'],
  ])('are found in %s', (text, name) => {
    expect(wordsIn(internalHostDetector, text)).toEqual([name]);
  });

  test.each([
    ['public names', 'local.example.org acme-corp.com www.newscorp.com internal.example wiki.corp.example'],
    ['longer endings', 'wiki.corporate x.locale x.localnet x.local-dev x.internal_x'],
    ['the endings alone', '.local corp internal'],
    ['names like localhost', 'localhosts mylocalhost my-localhost localhost.example localhost_1'],
    ['members', 'this.local = 1; self.internal; obj.local; document.local'],
    [
      'members of an object',
      'chrome.storage.local, specifierNode.local, SpanKind.INTERNAL, code_pb2.INTERNAL',
    ],
    ['values of code', 'codes.Internal, time.Local, ErrorKind.Internal'],
    ['calls', 'threading.local() and server.internal(1)'],
    ['assignments', 'e.local=1'],
    ['variables of a shell', '$scope.local'],
    ['modules', 'import app.internal; package main.internal'],
    ['packages of Java', 'jdk.internal and com.acme.internal'],
    ['files', '.env.local settings.local.py /etc/hosts.local rc.local appsettings.local ~/.zshrc.local'],
    ['a name of more than 253 characters', `${'a'.repeat(50)}.`.repeat(6) + 'local'],
  ])('are not found in %s: %s', (_, text) => {
    expect(wordsIn(internalHostDetector, text)).toEqual([]);
  });
});

describe('a stream of names', () => {
  test.each([
    ['Once upon a ', ''],
    ['Yes, ', ''],
    ['Well...', ''],
    ['(see above)', ''],
    ['ask wiki', 'wiki'],
    ['ask wiki.corp', 'wiki.corp'],
    ['ask wiki.corp ', ''],
    ['a'.repeat(300), ''],
  ])('holds back only part of %j: %j', (text, open) => {
    expect(openWords(internalHostDetector, text)).toBe(open);
  });

  it('keeps its promises', () => {
    const pieces = ['a', 'wiki', 'é', '.local', '.internal', '.corp', 'localhost', '.localdomain', '.', '..'];
    const around = [
      'import ',
      'this.',
      'storage',
      '.env',
      '$',
      '/',
      '//',
      '(',
      '=',
      'x'.repeat(100),
      'y'.repeat(150),
    ];
    const between = [' ', '-', '_', ',', '\\', '\\n', '\\u00e9'];
    expectStreamContract(internalHostDetector, [...pieces, ...around, ...between], { maxOpenChars: 253 });
  });
});
