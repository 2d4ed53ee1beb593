/**
 * Costs of parsing a document, in array elements: `PART_WORK` for an object, an array or a member name,
 * `MANY_NAMES_WORK` for a name in an object with more than `FEW_MEMBERS`, 1 for `SPACES_PER_WORK` spaces.
 */
export const WEIGHTS = {
  PART_WORK: 8,
  MANY_NAMES_WORK: 24,
  /** Above this number of members, names are compared in a set. */
  FEW_MEMBERS: 16,
  SPACES_PER_WORK: 16,
} as const;

/** Number of characters that one step scans or writes, at up to 15 ns each. */
export const STEP_CHARS = 262_144;
