/** Replaces secrets and other hidden text. */
export const MASK = '***';
