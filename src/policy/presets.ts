import { fileURLToPath } from 'node:url';

/** Must match docs/presets.md. */
export const PRESET_NAMES = ['safety', 'pci', 'mcp_sandbox', 'zero_trust', 'safety_drift'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** Used if policies are enabled without any source. */
export const FALLBACK_PRESET: PresetName = 'safety';

export interface PresetFile {
  readonly name: PresetName;
  readonly path: string;
}

/** Returns the files of presets and of the presets that they extend, each once. */
export function presetFiles(names: readonly PresetName[]): readonly PresetFile[] {
  const all = names.flatMap((name): PresetName[] => (name === 'safety_drift' ? ['safety', name] : [name]));
  return [...new Set(all)].map((name) => ({
    name,
    path: fileURLToPath(new URL(`../../policies/presets/${name}.yaml`, import.meta.url)),
  }));
}
