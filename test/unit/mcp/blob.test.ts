import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textsOfBlob } from '../../../src/mcp/blob.ts';
import { makeSecret, seededRandom } from '../detectors/secrets/samples.ts';

const STEP = 262_144;
const MOST = 4_194_304;
const read = (written: string, mimeType = 'text/plain') => textsOfBlob(written, { mimeType }, MOST);

describe('a text in base64', () => {
  it.each([
    ['of two bytes per character', 'é'.repeat(300_000)],
    ['of three bytes per character', `a${'漢'.repeat(200_000)}`],
    ['of four bytes per character', `abc${'🙂'.repeat(200_000)}`],
  ])('is read across steps: %s', async (_what, text) => {
    expect(await read(Buffer.from(text).toString('base64'))).toEqual({ asWritten: false, held: text });
  });

  it('is read in lines, padded, and with other characters, wherever a step ends', async () => {
    const bytes = Buffer.from('The soup is hot. '.repeat(60_000));
    const base64 = bytes.toString('base64');
    const inLines = base64.replace(/.{77}/g, '$&\r\n');
    expect(await read(inLines)).toEqual({ asWritten: false, held: bytes.toString() });
    for (const shift of [0, 1, 2, 3]) {
      const before = base64.slice(0, STEP - shift);
      const starred = `${before}*${base64.slice(before.length)}`;
      expect(await read(starred)).toEqual({ asWritten: true, held: bytes.toString() });
    }
  });

  it('reads the same in steps as at once, for any bytes', async () => {
    const around = fc.tuple(
      fc.nat({ max: 8 }),
      fc.uint8Array({ maxLength: 16 }),
      fc.constantFrom(0x61, 0x80, 0xe2, 0xf0),
    );
    await fc.assert(
      fc.asyncProperty(around, async ([back, middle, fill]) => {
        const bytes = Buffer.concat([
          Buffer.from([0xff]),
          Buffer.alloc(STEP - 1 - back, fill),
          middle,
          Buffer.alloc(64, fill),
        ]);
        expect((await read(bytes.toString('base64'))).held).toBe(bytes.toString());
      }),
      { numRuns: 60 },
    );
  });

  it.each(['', '=', '=='])('needs a digit: %j', async (written) => {
    expect(await read(written)).toEqual({ asWritten: true, held: '' });
  });

  const key = makeSecret('aws_access_key_id', seededRandom(1)).secret;
  const base64 = Buffer.from('The soup is hot. '.repeat(60)).toString('base64');
  // Found by `npm run fuzz -- --surface mcp --seed 7081`.
  it.each([
    ['only a secret', key, true],
    ['words without punctuation', `${'the soup is hot '.repeat(40)}${key} and so on`, true],
    ['one word per line', `${'soup\n'.repeat(200)}${key}\n`, true],
    [
      'lines of different lengths',
      `${base64.slice(0, 700)}\n${base64.slice(700, 760)}\n${base64.slice(760)}`,
      true,
    ],
    ['lines with gaps', `${base64.slice(0, 700)} ${base64.slice(700)}`, true],
    ['one long line', base64, false],
    ['lines of equal length', base64.replace(/.{76}/g, '$&\r\n'), false],
    [
      'lines of equal length, with a line break at the end',
      base64.replace(/.{64}/g, '$&\n').concat('\n'),
      false,
    ],
  ])(
    'is also read as written if no encoder writes it like that, or if it is short: %s',
    async (_what, written, asWritten) => {
      expect((await read(written)).asWritten).toBe(asWritten);
    },
  );

  it('is not decoded beyond the inspection limit', async () => {
    const { held = '' } = await read('a'.repeat(16_000_000));
    expect(held.length).toBeGreaterThan(MOST);
    expect(held.length).toBeLessThanOrEqual(MOST + STEP);
  });
});
