import { fileURLToPath } from 'node:url';

/** docs/presets.md, exact. */
export const PRESET_NAMES = ['safety', 'pci', 'mcp_sandbox', 'zero_trust', 'safety_drift'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** What is in force where policies are switched on and none is there. */
export const FALLBACK_PRESET: PresetName = 'safety';

/** A preset as its rules are named, and where it is. */
export interface PresetFile {
  readonly name: PresetName;
  readonly path: string;
}

/** The files of some presets, each once; one that is another one with more brings that with it. */
export function presetFiles(names: readonly PresetName[]): readonly PresetFile[] {
  const all = names.flatMap((name): PresetName[] => (name === 'safety_drift' ? ['safety', name] : [name]));
  return [...new Set(all)].map((name) => ({
    name,
    path: fileURLToPath(new URL(`../../policies/presets/${name}.yaml`, import.meta.url)),
  }));
}
