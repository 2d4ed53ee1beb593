/** Maximum number of decoding passes over a text; `%2541` needs two. Only hostile texts need more. */
export const MAX_DECODINGS = 3;
