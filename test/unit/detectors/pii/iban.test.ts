import { describe, expect, it, test } from 'vitest';
import { ibanDetector } from '../../../../src/detectors/pii/iban.ts';
import { brokenAt, expectStreamContract, wordsIn } from '../stream-contract.ts';
import { threadCpuMs } from '../../../support/cpu-time.ts';

/** Examples from the SWIFT registry. */
const IBANS = [
  'DE89370400440532013000',
  'GB29NWBK60161331926819',
  'FR1420041010050500013M02606',
  'NO9386011117947',
  'MT84MALT011000012345MTLCAST001S',
  'CH9300762011623852957',
  'NL91ABNA0417164300',
  'LC55HEMM000100010012001200023015',
];
const grouped = (iban: string, by = ' '): string => iban.replaceAll(/(.{4})(?=.)/g, `$1${by}`);

describe('bank account numbers', () => {
  test.each(IBANS.flatMap((one) => [one, grouped(one), grouped(one, '-'), one.toLowerCase()]))(
    'are found: %s',
    (iban) => {
      expect(wordsIn(ibanDetector, `Pay to ${iban}, please`)).toEqual([iban]);
      expect(wordsIn(ibanDetector, `{"iban":"${iban}"}`)).toEqual([iban]);
    },
  );

  test.each([
    ['a wrong digit', 'DE89370400440532013001'],
    ['two digits that changed places', 'DE98370400440532013000'],
    ['one digit less', 'DE8937040044053201300'],
    ['one digit more', 'DE893704004405320130001'],
    ['no country', 'XX89370400440532013000'],
    ['another length than the country has', 'NO89370400440532013000'],
    ['letters right before', 'xDE89370400440532013000'],
    ['groups that are not of four', 'DE8 9370400440532013000'],
    ['two blanks', 'DE89  3704 0044 0532 0130 00'],
    ['words', 'DE89 some words of a text that goes on'],
  ])('are not found with %s', (_, text) => {
    expect(wordsIn(ibanDetector, text)).toEqual([]);
  });

  it('are found one after the other', () => {
    expect(wordsIn(ibanDetector, IBANS.join(' '))).toEqual(IBANS);
  });

  it('are decided alike at every cut', () => {
    const text = `x ${IBANS.map((one) => grouped(one)).join(', ')} and ${IBANS.join('\n')}`;
    const cuts = Array.from({ length: text.length + 1 }, (_, at) => at);
    expect(brokenAt(ibanDetector, text, cuts, 42)).toEqual([]);
  });

  it('are searched in linear time', () => {
    const begun = threadCpuMs();
    for (const piece of ['DE89', 'DE89 ', 'DE89 3704 ', 'DE-', '1']) {
      ibanDetector.find(piece.repeat(200_000 / piece.length));
      ibanDetector.openFrom(piece.repeat(300));
    }
    expect(threadCpuMs() - begun).toBeLessThan(4_000);
  });

  it('keep the promises of a stream', () => {
    const pieces = [
      'DE89',
      'DE',
      'D',
      '3704',
      '0044',
      '0532 0130 00',
      ' ',
      '-',
      'NO9386011117947',
      'x',
      '\n',
      '1',
    ];
    expectStreamContract(ibanDetector, pieces, { maxOpenChars: 42 });
  });
});
