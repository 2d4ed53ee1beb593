/** In the title of a skipped test; the suite lists those at its end. */
export const NOT_RUN = 'NOT RUN: ';
