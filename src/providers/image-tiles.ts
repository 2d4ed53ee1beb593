/** Returns how many square tiles of `edge` pixels cover an image. */
export function tilesOf(width: number, height: number, edge: number): number {
  return Math.ceil(width / edge) * Math.ceil(height / edge);
}
