/** Folds case as parsers do. Upper-casing first also folds letters such as the long s. */
export function withoutCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}
