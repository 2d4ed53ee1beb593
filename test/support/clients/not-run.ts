/** In the title of what was left out; the suite tells those rows at its end. */
export const NOT_RUN = 'NOT RUN: ';
