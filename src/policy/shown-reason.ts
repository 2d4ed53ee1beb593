/** Reasons and flags that are longer are read by nobody, and searched for secrets by nobody. */
const MAX_READ_CHARS = 4_096;
const MAX_SHOWN_CHARS = 512;

/**
 * What a rule says, as it goes into answers, headers, logs and terminals: rules may put into it what an agent wrote.
 * Masked before it is cut: half of a secret would not be known for one.
 */
export function shownReason(text: string, maskSecrets: (text: string) => string): string {
  if (text.length > MAX_READ_CHARS) return 'a policy rule, whose words are too many to be shown';
  return maskSecrets(text).slice(0, MAX_SHOWN_CHARS);
}
