/** A text, whether it is an attack, and which set it comes from. */
export interface Row {
  readonly set: string;
  readonly text: string;
  readonly isAttack: boolean;
  /** Kept apart by its makers, to measure with. */
  readonly isHeldBack: boolean;
  /** Where the sentence stands, of rows that we put together ourselves. */
  readonly surface?: 'alone' | 'among others' | 'in a document';
}
