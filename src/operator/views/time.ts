export function iso(unixMs: number): string {
  return new Date(unixMs).toISOString();
}

export function isoOrNull(unixMs: number | undefined): string | null {
  return unixMs === undefined ? null : iso(unixMs);
}
