/**
 * A name as parsers read it that do not mind letter case. Upper-casing first folds the letters that lower-casing alone
 * leaves apart, such as the long s.
 */
export function withoutCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}
