import type { Surface } from '../surface.ts';

export const SURFACE_NAMES = ['requests', 'answers', 'streams'] as const;
export type SurfaceName = (typeof SURFACE_NAMES)[number];

/** Loads one surface by its name; the others' modules stay unread. */
export const SURFACES: Readonly<Record<SurfaceName, () => Promise<Surface<unknown>>>> = {
  answers: async () => (await import('./answers.ts')).answers,
  streams: async () => (await import('./streams.ts')).streams,
  requests: async () => (await import('./requests.ts')).requests,
};
