import { describe, expect, it, test } from 'vitest';
import { createEmailDetector } from '../../../../src/detectors/pii/email.ts';
import { expectStreamContract, openWords, wordsIn } from '../stream-contract.ts';

const detector = createEmailDetector([]);

describe('email addresses', () => {
  it('are found with their place', () => {
    expect(detector.find('ask ann@mail.example now')).toEqual([
      { detector: 'email', class: 'email', rule: 'email_address', start: 4, end: 20 },
    ]);
  });

  test.each([
    ['ask ann@mail.example.', 'ann@mail.example'],
    ['<ann@mail.example>', 'ann@mail.example'],
    ['"to":"ann@mail.example"', 'ann@mail.example'],
    ['mailto:ann@mail.example?subject=x', 'ann@mail.example'],
    ['ANN_LEE@MAIL.EXAMPLE', 'ANN_LEE@MAIL.EXAMPLE'],
    ['ann.lee+x-1@a-b.co.example', 'ann.lee+x-1@a-b.co.example'],
    ['_ann@mail.example_', '_ann@mail.example'],
    ['...ann@mail.example', 'ann@mail.example'],
    ['-ann@mail.example', 'ann@mail.example'],
    ['ann@mail.example-2', 'ann@mail.example'],
    ['ann@mail.example2', 'ann@mail.example'],
    ['ann@mail.example.pdf', 'ann@mail.example'],
    ['ann@xn--mnchen-3ya.xn--vermgensberatung-pwb', 'ann@xn--mnchen-3ya.xn--vermgensberatung-pwb'],
    ['jörg@münchen.example', 'jörg@münchen.example'],
    ['аня@почта.рф', 'аня@почта.рф'],
    ['请联系ann@mail.example谢谢', 'ann@mail.example'],
    ['ann@163.example', 'ann@163.example'],
    ['https://x.example/?q=ann%40mail.example&y', 'ann%40mail.example'],
    ['@ann@mail.example', 'ann@mail.example'],
    [String.raw`\nann@mail.example\n`, 'ann@mail.example'],
    [String.raw`\\nann@mail.example`, 'nann@mail.example'],
    [String.raw`\\\nann@mail.example`, 'ann@mail.example'],
    [String.raw`\u003cann@mail.example\u003e`, 'ann@mail.example'],
    [String.raw`C:\users\ann@mail.example`, 'ann@mail.example'],
    ['write to git@mail.example: soon', 'git@mail.example'],
    ['to "ann lee"@mail.example', '@mail.example'],
    [String.raw`\"ann lee\"@mail.example`, '@mail.example'],
  ])('are found in %s', (text, address) => {
    expect(wordsIn(detector, text)).toEqual([address]);
  });

  test.each([
    ['a domain without a dot', 'ann@mail'],
    ['a domain that ends with a dot', 'ann@mail. Then'],
    ['a top level of one letter', 'a@b.c'],
    ['an empty label', 'ann@mail..example'],
    ['a label that begins with a hyphen', 'ann@-mail.example'],
    ['a label of 64 letters', `ann@${'a'.repeat(64)}.example`],
    ['a domain of more than 120 characters', `ann@${'a.'.repeat(60)}example`],
    ['nothing before the at sign', 'see @mail.example or "@mail.example", {"a":"@mail.example"}'],
    ['a number', 'ann@10.20.30.40'],
    ['a package', 'left-pad@1.3.0-beta.rc and @scope/name@2.0.1'],
    ['a picture', 'icon@2x.png'],
    ['a unit of systemd', 'getty@tty1.service'],
    ['a remote of Git', 'git@code.example:group/name.git'],
    ['a remote of Git with its scheme', 'ssh://git@code.example/group/name.git'],
    ['a decorator', '@override\nclass A: pass'],
  ])('are not found in %s', (_, text) => {
    expect(detector.find(text)).toEqual([]);
  });

  it('are found one by one', () => {
    expect(wordsIn(detector, 'a1@x.example,b2@y.example;c3@z.example')).toEqual([
      'a1@x.example',
      'b2@y.example',
      'c3@z.example',
    ]);
  });

  it('that overlap are one finding', () => {
    expect(wordsIn(detector, 'a@b.example@c.example')).toEqual(['a@b.example', '@c.example']);
  });

  it('have at most 64 characters before the at sign', () => {
    expect(wordsIn(detector, `${'x'.repeat(70)}@mail.example`)).toEqual([`${'x'.repeat(64)}@mail.example`]);
  });
});

describe('addresses at allowed hosts', () => {
  const detector = createEmailDetector([
    'Example.ORG',
    '@ours.example',
    '*.wild.example',
    'münchen.example',
    ' ',
  ]);

  test.each([
    'a@example.org',
    'a@SUB.example.org',
    'a@ours.example',
    'a@x.wild.example',
    'a@xn--mnchen-3ya.example',
  ])('are ignored: %s', (address) => {
    expect(detector.find(address)).toEqual([]);
  });

  test.each(['a@notexample.org', 'a@example.org.evil.example', 'a@example.com'])(
    'are not those that only look alike: %s',
    (address) => {
      expect(wordsIn(detector, address)).toEqual([address]);
    },
  );
});

describe('a stream of email addresses', () => {
  test.each([
    ['Once upon a ', ''],
    ['Yes, ', ''],
    ['"quoted"', ''],
    ['What?', ''],
    ['Well...', ''],
    ['The end.\n', ''],
    ['Once upon', 'upon'],
    ['for ann.', 'ann.'],
    ['for ann@', 'ann@'],
    ['for ann@mail.example', 'ann@mail.example'],
    ['for ann@mail.example ', ''],
    ['for ann%4', 'ann%4'],
    ['for git@code.example:', 'git@code.example:'],
    [`for ${'x'.repeat(100)}`, 'x'.repeat(64)],
    [`for a@${'b'.repeat(130)}`, 'b'.repeat(64)],
  ])('holds back only part of %j: %j', (text, open) => {
    expect(openWords(detector, text)).toBe(open);
  });

  it('keeps its promises', () => {
    const pieces = ['a', 'ann', '@', 'a@b.example', '@ours.example', 'git@', 'x'.repeat(50), 'y'.repeat(70)];
    const domains = ['.', '.example', '.dd'.repeat(30), '1.2.3', '.png', 'é', '%40', '%', '..'];
    const between = [' ', '"', ':', '-', '+', '_', '/', '://', '\\', '\\n', '\\u00e9'];
    const detector = createEmailDetector(['ours.example']);
    expectStreamContract(detector, [...pieces, ...domains, ...between], { maxOpenChars: 320 });
  });
});
