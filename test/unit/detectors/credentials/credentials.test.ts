import { describe, expect, it, test } from 'vitest';
import { credentialsDetector } from '../../../../src/detectors/credentials/credentials.ts';
import { brokenAt, expectStreamContract, openWords, wordsIn } from '../stream-contract.ts';
import { WITH_CREDENTIAL, WITHOUT_CREDENTIAL } from './samples.ts';
import { threadCpuMs } from '../../../support/cpu-time.ts';

/** The longest held text: the longest value of a URL and the characters read after it. */
const MAX_OPEN_CHARS = 270;

function everyCut(text: string): number[] {
  return Array.from({ length: text.length + 1 }, (_, at) => at);
}

describe('credentials', () => {
  test.each(WITH_CREDENTIAL)('in %j are only the value', (text, credential) => {
    expect(wordsIn(credentialsDetector, text)).toEqual([credential]);
  });

  test.each(WITHOUT_CREDENTIAL)('are not found in %j', (text) => {
    expect(wordsIn(credentialsDetector, text)).toEqual([]);
  });

  it('have their place and a rule of a fixed set', () => {
    expect(credentialsDetector.find('x://bob:Zk391xx@h')).toEqual([
      { detector: 'credentials', class: 'credentials', rule: 'url_password', start: 8, end: 15 },
    ]);
    const rules = WITH_CREDENTIAL.flatMap(([text]) => credentialsDetector.find(text).map(({ rule }) => rule));
    expect([...new Set(rules)].toSorted()).toEqual([
      'command_password',
      'named_secret',
      'password',
      'pgpass_password',
      'url_password',
    ]);
  });

  it('of several names in one text are all found', () => {
    const text = 'A_PASSWORD=hunter2x\nREDIS_URL=redis://:Zk391xx@r:6379\nB_SECRET=q8w7e6r5t4\n';
    expect(wordsIn(credentialsDetector, text)).toEqual(['hunter2x', 'Zk391xx', 'q8w7e6r5t4']);
  });

  it('have at most 256 characters', () => {
    const longest = 'aB3'.repeat(86).slice(0, 256);
    expect(wordsIn(credentialsDetector, `password="${longest}"`)).toEqual([longest]);
    expect(wordsIn(credentialsDetector, `password="${longest}x"`)).toEqual([]);
  });
});

describe('a stream of credentials', () => {
  test.each(WITH_CREDENTIAL)('is decided alike at every cut of %j', (text) => {
    for (const behind of ['', '\n', ' and more of it, quite some words.\nA second line: x', '"}', ';']) {
      const whole = `Some words before.\n${text}${behind}`;
      expect(brokenAt(credentialsDetector, whole, everyCut(whole), MAX_OPEN_CHARS)).toEqual([]);
    }
  });

  test.each(WITHOUT_CREDENTIAL)('is decided alike at every cut of %j', (text) => {
    const whole = `${text} and more`;
    expect(brokenAt(credentialsDetector, whole, everyCut(whole), MAX_OPEN_CHARS)).toEqual([]);
  });

  it('keeps its promises for texts of such pieces', () => {
    const pieces = [
      ...'password DB_PASSWORD pass secret api_key token :// bob: @ h.example'.split(' '),
      ...[' '],
      ...['=', ': ', '"', "'", '\\"', '\n', ' is ', 'hunter2', 'Zk39!xx', 'string', ';', ',', '<', '>', '</'],
      ...[
        'curl ',
        '-u ',
        'mysql ',
        '-p',
        'a',
        '1',
        '/',
        'x'.repeat(60),
        'q8W7e6R5t4Z3',
        '密码',
        '：',
        'value',
      ],
      ...['identified by ', 'requirepass ', '1) ', ':5432:', 'db:bob:', '#', '\\', '(', '$'],
    ];
    expectStreamContract(credentialsDetector, pieces, { maxOpenChars: MAX_OPEN_CHARS });
  });

  test.each([
    'Once upon a time, ',
    'the password',
    'the password is ',
    'DB_PASSWORD=',
    '"pass": "',
    'see https://',
  ])('holds nothing back if no value has begun: %j', (text) => {
    expect(openWords(credentialsDetector, text)).toBe('');
  });

  it('holds back a value, but not its name', () => {
    expect(openWords(credentialsDetector, 'the DB_PASSWORD=hunt')).toBe('hunt');
    expect(openWords(credentialsDetector, 'postgres://bob:hunt')).toBe('hunt');
  });

  it('releases a value once enough text follows it', () => {
    expect(openWords(credentialsDetector, 'password: "hunter2" and so it goes')).toBe('');
  });
});

describe('the search', () => {
  test.each([
    'password=',
    'password: "a',
    '-u ',
    ' -p',
    'curl -u a:',
    '://a:',
    '://',
    'password is ',
    'password for ',
    '<password ',
    'identified ',
    'password[',
    '密码',
    'secret\\',
    ':5432:',
    'password",\n',
  ])('is linear for repeated %j', (piece) => {
    const text = piece.repeat(200_000 / piece.length);
    const begun = threadCpuMs();
    credentialsDetector.find(text);
    credentialsDetector.openFrom(text);
    expect(threadCpuMs() - begun).toBeLessThan(2_000);
  });
});
