/** The number of each English word of BIP-39. */
let numbers: ReadonlyMap<string, number> | undefined;

/** Reads the list: only where seed phrases are looked for. */
export async function loadSeedWords(): Promise<void> {
  const { wordlist } = await import('@scure/bip39/wordlists/english.js');
  numbers ??= new Map(wordlist.map((word, index) => [word, index]));
}

/** @throws Error before `loadSeedWords` */
export function seedWords(): ReadonlyMap<string, number> {
  if (numbers === undefined) throw new Error('the words of seed phrases are not loaded');
  return numbers;
}
