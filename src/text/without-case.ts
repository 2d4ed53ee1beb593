/**
 * Folds a name as case-insensitive parsers do. Upper-casing first folds letters that lower-casing alone leaves
 * distinct, such as the long s.
 */
export function withoutCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}
