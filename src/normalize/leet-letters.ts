/** Letters that digits replace in leet. `l` may also be `i`, because `1` replaces both. */
export const LEET_DIGITS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'l',
  3: 'e',
  4: 'a',
  5: 's',
  6: 'g',
  7: 't',
  8: 'b',
  9: 'g',
};

export const LEET_SIGNS: Readonly<Record<string, string>> = {
  '@': 'a',
  $: 's',
  '!': 'l',
  '|': 'l',
  '(': 'c',
  '+': 't',
};

/** The most likely letters, with `1` and `!` read as `i`. */
export const READ_AS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};
