import { readFileSync } from 'node:fs';
import type { PolicyCall } from '../../src/policy/call.ts';
import { createCardSet, type CardFile, type CardSet } from '../../src/policy/cards/card-set.ts';
import { presetFiles, type PresetName } from '../../src/policy/presets.ts';

/** Cards as JSON, which is valid YAML too, so that a row stays on one line. */
export function cardsOf(...cards: object[]): CardSet {
  return createCardSet(
    cards.map((card, index) => ({
      name: `card-${String(index)}.yaml`,
      text: JSON.stringify({ metadata: { name: 'c' }, ...card }),
      isPreset: false,
    })),
  );
}

export function denyingRule(conditions: readonly object[], more: object = {}): CardSet {
  return cardsOf({ rules: [{ name: 'r', conditions, action: 'deny', reason: 'no', ...more }] });
}

export async function isDenied(set: CardSet, call: PolicyCall): Promise<boolean> {
  return (await set.decide(call)).deny.length > 0;
}

/** The cards of presets, as a gateway reads them. */
export function presetCards(...presets: readonly PresetName[]): CardFile[] {
  return presetFiles(presets).map(({ name, path }) => ({
    name: `preset ${name}`,
    text: readFileSync(path, 'utf8'),
    isPreset: true,
  }));
}
