import type { AnswerText } from '../providers/provider.ts';
import type { WrittenText } from './exchange.ts';

/** Text kept for counting; what lies beyond is only measured. */
const MAX_KEPT_CHARS = 262_144;
/** Streams bring some characters at a time, and each string costs some forty bytes beside: so many become one. */
const MAX_PIECES = 256;

/** Collects what a model wrote, bounded, for answers that end without usage (DECISIONS "Budgets and cost"). */
export function createWrittenText(): WrittenText {
  const joined: string[] = [];
  let pieces: string[] = [];
  let keptChars = 0;
  let beyondBytes = 0;
  let sawReasoning = false;
  return {
    add(kind: AnswerText['kind'], text: string): void {
      sawReasoning ||= kind === 'reasoning';
      if (keptChars + text.length <= MAX_KEPT_CHARS) {
        keptChars += text.length;
        pieces.push(text);
        if (pieces.length < MAX_PIECES) return;
        joined.push(pieces.join(''));
        pieces = [];
      } else beyondBytes += Buffer.byteLength(text);
    },
    get text(): string {
      return joined.join('') + pieces.join('');
    },
    get beyondBytes(): number {
      return beyondBytes;
    },
    get sawReasoning(): boolean {
      return sawReasoning;
    },
  };
}
