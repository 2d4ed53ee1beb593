/**
 * Cost of reading a document's parts, in units of one array element. An object, array or member name costs
 * `PART_WORK`, a name in an object with more than `FEW_MEMBERS` `MANY_NAMES_WORK`, and `BLANKS_OF_WORK` blanks cost one.
 */
export const WEIGHTS = {
  PART_WORK: 8,
  MANY_NAMES_WORK: 24,
  /** Up to this number of members, names are compared one by one; beyond it a set is used. */
  FEW_MEMBERS: 16,
  /** More bytes than a number with its comma, because blanks produce nothing. */
  BLANKS_OF_WORK: 16,
} as const;

/** Characters that one step reads or writes, at up to 15 ns each. */
export const STEP_CHARS = 262_144;
