import type { StreamReader } from '../../../../src/providers/dialect.ts';

/** The texts that a frame continues and ends. */

/** `channel: text`, with its marks after the channel: `J` JSON, `S` signed, `+name` joins others, `R` repeats. */
export type Said = readonly string[];

export interface MeaningRow {
  readonly name: string;
  readonly reader: () => StreamReader | undefined;
  /** A frame, its texts, and the channels that it ends. */
  readonly frames: readonly (readonly [frame: unknown, said: Said, ends?: readonly string[]])[];
}

export const chat = (...choices: unknown[]) => ({ id: 'c', choices });
export const delta = (index: number, members: object, finish: string | null = null) => ({
  index,
  delta: members,
  finish_reason: finish,
});
export const call = (index: number, args: unknown, more: object = {}) => ({
  tool_calls: [{ index, function: { arguments: args }, ...more }],
});
export const block = (type: string, index: number, more: object = {}) => ({ type, index, ...more });
export const part = (...parts: unknown[]) => ({ candidates: [{ content: { parts } }] });
export const converse = (event: string, payload: object) => ({ event, payload });
