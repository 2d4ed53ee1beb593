/** UTF-16 units `start` to `end` (exclusive). */
export interface Span {
  readonly start: number;
  readonly end: number;
}
