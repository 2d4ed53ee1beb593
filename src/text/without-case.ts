/** Folds case like case-insensitive parsers. The upper-case step also folds letters such as the long s. */
export function withoutCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}
