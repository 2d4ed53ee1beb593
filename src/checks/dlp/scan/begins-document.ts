import type { TextDelta } from '../../../providers/provider.ts';

/**
 * Whether what a model says may be a JSON document (structured output), which is to stay one: it is read as arguments
 * are. Where it turns out to be prose, that reads it just as well.
 */
export function beginsDocument({ kind, text }: Pick<TextDelta, 'kind' | 'text'>): boolean {
  return kind === 'text' && /^\s*[[{]/.test(text);
}
