import { describe, expect, it } from 'vitest';
import { HpackDecoder } from '../../../src/http2/hpack-decoder.ts';
import { encodeHeaders, NO_TABLE } from '../../../src/http2/hpack-encoder.ts';
import { decodeHuffman } from '../../../src/http2/huffman.ts';
import { LIMITS } from '../../../src/http2/limits.ts';

type Pairs = readonly (readonly [string, string])[];

const decoder = (): HpackDecoder => new HpackDecoder(LIMITS.headerListBytes);
const decode = (bytes: Buffer, by = decoder()): Pairs =>
  by.decode(bytes, 0, bytes.length).map(({ name, value }) => [name, value] as const);
const hex = (written: string): Buffer => Buffer.from(written.replaceAll(' ', ''), 'hex');

const GET: Pairs = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':path', '/'],
  [':authority', 'www.example.com'],
];
const REQUESTS: readonly Pairs[] = [
  GET,
  [...GET, ['cache-control', 'no-cache']],
  [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', '/index.html'],
    [':authority', 'www.example.com'],
    ['custom-key', 'custom-value'],
  ],
];
const FIRST_RESPONSE: Pairs = [
  [':status', '302'],
  ['cache-control', 'private'],
  ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'],
  ['location', 'https://www.example.com'],
];
const RESPONSES: readonly Pairs[] = [
  FIRST_RESPONSE,
  [[':status', '307'], ...FIRST_RESPONSE.slice(1)],
  [
    [':status', '200'],
    ['cache-control', 'private'],
    ['date', 'Mon, 21 Oct 2013 20:13:22 GMT'],
    ['location', 'https://www.example.com'],
    ['content-encoding', 'gzip'],
    ['set-cookie', 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'],
  ],
];
/** The responses of the RFC are written for a table of 256 octets, which evicts. */
const TABLE_OF_256 = '3fe101';

describe('the examples of RFC 7541 appendix C', () => {
  it.each([
    [
      'C.2.1',
      '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572',
      'custom-key',
      'custom-header',
    ],
    ['C.2.2', '040c 2f73 616d 706c 652f 7061 7468', ':path', '/sample/path'],
    ['C.2.3', '1008 7061 7373 776f 7264 0673 6563 7265 74', 'password', 'secret'],
    ['C.2.4', '82', ':method', 'GET'],
  ])('%s', (_name, written, name, value) => {
    expect(decode(hex(written))).toEqual([[name, value]]);
  });

  it.each([
    [
      'C.3, requests without Huffman code',
      '',
      REQUESTS,
      [
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ],
    ],
    [
      'C.4, requests in Huffman code',
      '',
      REQUESTS,
      [
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ],
    ],
    [
      'C.5, responses without Huffman code, with eviction',
      TABLE_OF_256,
      RESPONSES,
      [
        '4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '4803 3330 37c1 c0bf',
        '88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31',
      ],
    ],
    [
      'C.6, responses in Huffman code, with eviction',
      TABLE_OF_256,
      RESPONSES,
      [
        '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
        '4883 640e ffc1 c0bf',
        '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
      ],
    ],
  ])('%s', (_name, before, headers, blocks) => {
    const by = decoder();
    const read = blocks.map((block, nth) => decode(hex((nth === 0 ? before : '') + block), by));
    expect(read).toEqual(headers);
  });
});

describe('a malformed header block', () => {
  it.each([
    ['an index of 0', '80'],
    ['an unknown table entry', 'be'],
    ['an unterminated number', `ff${'80'.repeat(30)}`],
    ['a number that is too large', 'ffffffffff7f'],
    ['a string that is longer than its block', '40 05 61'],
    ['a table size that is not allowed', '3fe21f'],
    ['a change of the table size after a header', '8220'],
    ['the code of the end of a string', '0001 61 84 ffffffff'],
    ['padding of eight bits', '0001 61 82 1fff'],
    ['padding of zeros', '0001 61 81 18'],
  ])('is refused: %s', (_name, written) => {
    expect(() => decode(hex(written))).toThrow(/header|number/);
  });

  it('is refused at any cut within a header, without another error', () => {
    const block = hex('4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf');
    for (let length = 1; length < block.length; length++) {
      expect(() => decode(block.subarray(0, length)), String(length)).toThrow(Error);
    }
  });

  it('is refused if its list is longer than allowed, even if it repeats one entry', () => {
    const by = decoder();
    const entry = Buffer.concat([hex('40 01 61 7f 81 0e'), Buffer.alloc(1_920, 'v')]);
    const [[, value] = ['', '']] = decode(entry, by);
    const size = value.length + 1 + 32;
    const allowed = Math.floor(LIMITS.headerListBytes / size);
    expect(decode(Buffer.alloc(allowed, 0xbe), by)).toHaveLength(allowed);
    expect(() => decode(Buffer.alloc(allowed + 1, 0xbe), by)).toThrow(/too long/);
  });
});

it('an entry larger than its table empties it', () => {
  const by = decoder();
  decode(hex('3f 21 40 01 61 01 62'), by); // a table of 64 octets, with one entry
  expect(decode(hex('be'), by)).toEqual([['a', 'b']]);
  decode(Buffer.concat([hex('40 01 63 28'), Buffer.alloc(40, 'd')]), by);
  expect(() => decode(hex('be'), by)).toThrow(/table/);
});

it('encoded headers need no table and decode to the same headers', () => {
  const headers: Pairs = [
    [':status', '200'],
    [':status', '415'],
    ['content-type', 'application/grpc'],
    ['grpc-message', 'x'.repeat(300)],
  ];
  expect(decode(Buffer.from(NO_TABLE + encodeHeaders(headers), 'latin1'))).toEqual(headers);
});

it('reads no more of a string than requested', () => {
  expect(decodeHuffman(hex('ff a8eb 1064 9cbf ff'), 1, 7)).toBe('no-cache');
});
