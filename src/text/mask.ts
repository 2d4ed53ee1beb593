/** Stands for secrets and other hidden text. */
export const MASK = '***';
