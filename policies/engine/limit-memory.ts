const MEMORY_SECTION = 5;
const HEADER_BYTES = 8;

/** Returns the unsigned LEB128 number at `offset` of `bytes`, and its end (WebAssembly core, "Integers"). */
function readNumber(bytes: Buffer, offset: number): { value: number; end: number } {
  let value = 0;
  let shift = 0;
  for (let at = offset; ; at++, shift += 7) {
    const byte = bytes.readUInt8(at);
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, end: at + 1 };
  }
}

function writeNumber(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 0x80);
  }
}

/**
 * Returns the module with a maximum for its memory, in pages of 64 KiB. Go's compiler sets none, and the limits of a
 * Node worker do not bound WebAssembly.
 *
 * @throws Error if the module has no memory, or already has a maximum
 */
export function limitMemory(wasm: Buffer, maxPages: number): Buffer {
  for (let at = HEADER_BYTES; at < wasm.length;) {
    const id = wasm.readUInt8(at);
    const size = readNumber(wasm, at + 1);
    const end = size.end + size.value;
    if (id === MEMORY_SECTION) return withMaximum(wasm, { start: at, body: size.end, end }, maxPages);
    at = end;
  }
  throw new Error('the module has no memory');
}

function withMaximum(
  wasm: Buffer,
  section: { readonly start: number; readonly body: number; readonly end: number },
  maxPages: number,
): Buffer {
  const count = readNumber(wasm, section.body);
  const flags = wasm.readUInt8(count.end);
  if (count.value !== 1 || flags !== 0) throw new Error('one memory without a maximum was expected');
  const minimum = wasm.subarray(count.end + 1, section.end);
  const body = Buffer.concat([Buffer.from([1, 1]), minimum, writeNumber(maxPages)]);
  const head = Buffer.concat([Buffer.from([MEMORY_SECTION]), writeNumber(body.length)]);
  return Buffer.concat([wasm.subarray(0, section.start), head, body, wasm.subarray(section.end)]);
}
