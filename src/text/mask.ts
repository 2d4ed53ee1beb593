/** What stands in place of a secret, and of whatever else nobody is to read. */
export const MASK = '***';
