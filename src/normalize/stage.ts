import type { EditedText, TextView } from '../inspect/offset-map.ts';

export interface StageResult {
  readonly text: string;
  /** Whether the stage found obfuscation. */
  readonly found: boolean;
  /** Maps spans of `text` to the input. Absent if the text has not changed. */
  readonly toOriginal?: TextView['toOriginal'];
}

export type Stage = (text: string) => StageResult;

export const unchanged = (text: string): StageResult => ({ text, found: false });

export function stageResult(edited: EditedText, found: boolean): StageResult {
  return { ...(edited.finish() ?? { text: edited.source }), found };
}
