import type { Surface } from '../surface.ts';

export const SURFACE_NAMES = [
  'requests',
  'answers',
  'streams',
  'mcp',
  'http2',
  'ext-proc',
  'cards',
  'config',
  'traces',
] as const;
export type SurfaceName = (typeof SURFACE_NAMES)[number];

/** Loads one surface by its name; the others' modules are not loaded. */
export const SURFACES: Readonly<Record<SurfaceName, () => Promise<Surface<unknown>>>> = {
  answers: async () => (await import('./answers.ts')).answers,
  streams: async () => (await import('./streams.ts')).streams,
  requests: async () => (await import('./requests.ts')).requests,
  mcp: async () => (await import('./mcp.ts')).mcp,
  http2: async () => (await import('./http2.ts')).http2,
  'ext-proc': async () => (await import('./ext-proc.ts')).extProc,
  cards: async () => (await import('./cards.ts')).cards,
  config: async () => (await import('./config.ts')).config,
  traces: async () => (await import('./traces.ts')).traces,
};
