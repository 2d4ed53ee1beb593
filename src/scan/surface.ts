/** Origin of a text: a client's prompt, a tool's response, a provider's answer. */
export const SURFACES = ['prompt', 'tool', 'completion'] as const;
export type ScanSurface = (typeof SURFACES)[number];
