/** UTF-16 code units from `start` to `end` (exclusive). */
export interface Span {
  readonly start: number;
  readonly end: number;
}
