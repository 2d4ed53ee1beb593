import { describe, expect, it, test } from 'vitest';
import { ssnDetector } from '../../../../src/detectors/pii/ssn.ts';
import { expectStreamContract, openWords, wordsIn } from '../stream-contract.ts';

const SSN = ['319', '42', '5786'].join('-');

describe('social security numbers', () => {
  test.each([
    `SSN: ${SSN}`,
    `(${SSN})`,
    `"ssn":"${SSN}"`,
    `ssn=${SSN}&x=1`,
    `${SSN}.`,
    `SSN${SSN}`,
    `ssn-${SSN}`,
    String.raw`\n${SSN}`,
    String.raw`\n-${SSN}`,
    String.raw`\u00e9${SSN}`,
  ])('are found: %s', (text) => {
    const start = text.indexOf(SSN);
    expect(ssnDetector.find(text)).toEqual([
      { detector: 'ssn', class: 'ssn', rule: 'us_ssn', start, end: start + SSN.length },
    ]);
  });

  it('are found with the hyphens of typesetters', () => {
    const written = SSN.replaceAll('-', '\u2011');
    expect(wordsIn(ssnDetector, `It is ${written}, she said`)).toEqual([written]);
  });

  test.each(['950-70-1234', '912-65-1234', '999-99-1234'])('of taxpayers are found: %s', (text) => {
    expect(ssnDetector.find(text).map(({ rule }) => rule)).toEqual(['us_itin']);
  });

  test.each([
    ['area 000', '000-42-5786'],
    ['area 666', '666-42-5786'],
    ['area 900 and no group of taxpayers', '912-42-5786'],
    ['area 900 and group 93', '912-93-5786'],
    ['group 00', '319-00-5786'],
    ['serial 0000', '319-42-0000'],
    ['a longer number', `1${SSN}`],
    ['a longer number after it', `${SSN}0`],
    ['a number with more groups', `${SSN}-01`],
    ['a number with groups before', `2024-01-${SSN}`],
    ['an identifier', `AB${SSN}`],
    ['an identifier in groups', `ABC-${SSN}`],
    ['a version', `1.${SSN}`],
    ['other gaps', '319 42 5786'],
    ['two kinds of gaps', '319-42.5786'],
    ['no gaps', '319425786'],
    ['characters that JSON spells out', String.raw`\u0319-42-5786`],
  ])('are not found in %s: %s', (_, text) => {
    expect(ssnDetector.find(text)).toEqual([]);
  });
});

describe('a stream of social security numbers', () => {
  test.each([
    ['In May', ''],
    ['In 2024 ', ''],
    ['No 319', '319'],
    ['No 319-4', '319-4'],
    [`No ${SSN}`, SSN],
    [`No ${SSN}-`, `${SSN}-`],
    [`No ${SSN} `, ''],
  ])('holds back only part of %j: %j', (text, open) => {
    expect(openWords(ssnDetector, text)).toBe(open);
  });

  it('keeps its promises', () => {
    const pieces = [SSN, '319', '42', '5786', '42-', '-5786', '950-70-1234', '0', '9'];
    const between = ['-', '\u2011', '.', ' ', 'a', 'ssn', '\\u00e9', '\\u0', '\\n', '\\'];
    expectStreamContract(ssnDetector, [...pieces, ...between], { maxOpenChars: 16 });
  });
});
