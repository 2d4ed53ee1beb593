/** Origin of a text: client prompt, tool response or provider answer. */
export const SURFACES = ['prompt', 'tool', 'completion'] as const;
export type ScanSurface = (typeof SURFACES)[number];
