let numbers: ReadonlyMap<string, number> | undefined;

/** Loads the English words of BIP-39, which only searches for seed phrases need. */
export async function loadSeedWords(): Promise<void> {
  const { wordlist } = await import('@scure/bip39/wordlists/english.js');
  numbers ??= new Map(wordlist.map((word, index) => [word, index]));
}

/** @throws Error before `loadSeedWords` */
export function seedWords(): ReadonlyMap<string, number> {
  if (numbers === undefined) throw new Error('the words of seed phrases are not loaded');
  return numbers;
}
