/** Origin of a text: the prompt of a client, the response of a tool, the answer of a provider. */
export const SURFACES = ['prompt', 'tool', 'completion'] as const;
export type ScanSurface = (typeof SURFACES)[number];
