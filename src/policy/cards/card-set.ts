import type { PolicyCall, TraceStep } from '../call.ts';
import { INITIAL_STATE } from '../call.ts';
import { NO_DECISION, type Decision } from '../decision.ts';
import type { MaskRule } from './mask-rule.ts';

/** A card as it was read. */
export interface CardFile {
  /** As errors and records name it. */
  readonly name: string;
  readonly text: string;
  /** Presets never allow a call. */
  readonly isPreset: boolean;
}

/** Cards and presets, compiled into functions over calls. */
export interface CardSet {
  readonly canAllow: boolean;
  readonly initialState: string;
  decide(call: PolicyCall): Promise<Decision>;
  nextState(call: PolicyCall): Promise<string | undefined>;
  masksFor(call: PolicyCall): readonly MaskRule[];
  looksFor(type: TraceStep['type']): boolean;
  marksOf(step: TraceStep): Promise<readonly string[]>;
}

export function createCardSet(_files: readonly CardFile[]): CardSet {
  return {
    canAllow: false,
    initialState: INITIAL_STATE,
    decide: () => Promise.resolve(NO_DECISION),
    nextState: () => Promise.resolve(undefined),
    masksFor: () => [],
    looksFor: () => false,
    marksOf: () => Promise.resolve([]),
  };
}
