/** Maximum number of times that an encoded text is decoded again: `%2541` is encoded twice. More is hostile. */
export const MAX_DECODINGS = 3;
