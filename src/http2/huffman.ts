/**
 * HPACK's Huffman code (RFC 7541 appendix B): octets by code length. The code is canonical: codes of one length are
 * consecutive, and the next length continues after them.
 */
const OCTETS_BY_LENGTH: readonly (readonly [number, string])[] = [
  [5, '48-50 97 99 101 105 111 115-116'],
  [6, '32 37 45-47 51-57 61 65 95 98 100 102-104 108-110 112 114 117'],
  [7, '58 66-87 89 106-107 113 118-122'],
  [8, '38 42 44 59 88 90'],
  [10, '33-34 40-41 63'],
  [11, '39 43 124'],
  [12, '35 62'],
  [13, '0 36 64 91 93 126'],
  [14, '94 125'],
  [15, '60 96 123'],
  [19, '92 195 208'],
  [20, '128 130-131 162 184 194 224 226'],
  [21, '153 161 167 172 176-177 179 209 216-217 227 229-230'],
  [22, '129 132-134 136 146 154 156 160 163-164 169-170 173 178 181 185-187 189-190 196 198 228 232-233'],
  [23, '1 135 137-141 143 147 149-152 155 157-158 165-166 168 174-175 180 182-183 188 191 197 231 239'],
  [24, '9 142 144-145 148 159 171 206 215 225 236-237'],
  [25, '199 207 234-235'],
  [26, '192-193 200-202 205 210 213 218-219 238 240 242-243 255'],
  [27, '203-204 211-212 214 221-223 241 244-248 250-254'],
  [28, '2-8 11-12 14-21 23-31 127 220 249'],
  [30, '10 13 22'],
];
const MAX_PADDING_BITS = 7;
const NIBBLES = 16;

/** The code as a state machine. Each input of four bits completes at most one octet. */
interface Machine {
  /** The next state, indexed by `state * 16 + nibble`; -1 for an invalid code. */
  readonly next: Int16Array;
  /** The octet that the nibble completes, or -1. */
  readonly octet: Int16Array;
  /** 1 for states in which a string may end: after a code, or inside padding. */
  readonly isEnd: Uint8Array;
}

/** Nodes with two children each. Leaves are stored as -2 - octet. */
type Tree = [number, number][];
const NOWHERE = -1;

function buildTree(): Tree {
  const tree: Tree = [[NOWHERE, NOWHERE]];
  let code = 0;
  let length = 0;
  for (const [bits, octets] of OCTETS_BY_LENGTH) {
    code <<= bits - length;
    length = bits;
    for (const octet of listed(octets)) plant(tree, code++, bits, octet);
  }
  return tree;
}

function listed(octets: string): number[] {
  return octets.split(' ').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, nth) => first + nth);
  });
}

function plant(tree: Tree, code: number, bits: number, octet: number): void {
  let at = 0;
  for (let bit = bits - 1; bit > 0; bit--) {
    const side = (code >>> bit) & 1;
    if (child(tree, at, side) === NOWHERE) setChild(tree, at, side, tree.push([NOWHERE, NOWHERE]) - 1);
    at = child(tree, at, side);
  }
  setChild(tree, at, code & 1, -2 - octet);
}

function child(tree: Tree, at: number, side: number): number {
  return tree[at]?.[side] ?? NOWHERE;
}

function setChild(tree: Tree, at: number, side: number, value: number): void {
  const node = tree[at];
  if (node !== undefined) node[side === 0 ? 0 : 1] = value;
}

function buildMachine(): Machine {
  const tree = buildTree();
  const next = new Int16Array(tree.length * NIBBLES);
  const octet = new Int16Array(tree.length * NIBBLES).fill(-1);
  for (let state = 0; state < tree.length; state++) {
    for (let nibble = 0; nibble < NIBBLES; nibble++) {
      const step = state * NIBBLES + nibble;
      let at = state;
      for (let bit = 3; bit >= 0 && at >= 0; bit--) {
        at = child(tree, at, (nibble >>> bit) & 1);
        if (at <= -2) {
          octet[step] = -2 - at;
          at = 0;
        }
      }
      next[step] = at;
    }
  }
  return { next, octet, isEnd: endStates(tree) };
}

function endStates(tree: Tree): Uint8Array {
  const isEnd = new Uint8Array(tree.length);
  for (let at = 0, bits = 0; bits <= MAX_PADDING_BITS; bits++, at = child(tree, at, 1)) isEnd[at] = 1;
  return isEnd;
}

const MACHINE = buildMachine();
/** The shortest code has five bits. */
const MAX_GROWTH = 8 / 5;

/** Decodes `bytes[from, to)` to latin1. Throws an Error for an invalid code. */
export function decodeHuffman(bytes: Uint8Array, from: number, to: number): string {
  const { next, octet, isEnd } = MACHINE;
  const out = Buffer.allocUnsafe(Math.ceil((to - from) * MAX_GROWTH));
  let length = 0;
  let state = 0;
  for (let half = 2 * from; half < 2 * to; half++) {
    const byte = bytes[half >>> 1] as number;
    const step = state * NIBBLES + (half % 2 === 0 ? byte >>> 4 : byte & 0xf);
    state = next[step] as number;
    if (state < 0) throw new Error('a header contains an invalid Huffman code');
    const written = octet[step] as number;
    if (written >= 0) out[length++] = written;
  }
  if (isEnd[state] !== 1) throw new Error('a header ends within a Huffman code');
  return out.toString('latin1', 0, length);
}
