import type { Answer, WrittenText } from '../pipeline/exchange.ts';
import type { AnswerText, StreamEvent } from '../providers/dialect.ts';
import { createBillingReader } from '../providers/billing-details.ts';
import { createIdentityReader } from '../providers/answer-identity.ts';
import { ITEM_CHARS, type Work } from '../turns.ts';

/** Maximum number of characters kept for counting tokens. Only the length of further text is stored. */
const MAX_KEPT_CHARS = 262_144;
/** Batch size for joining pieces. Streams deliver few characters at a time, and every string takes 40 extra bytes. */
const MAX_PIECES = 256;

/** Output for counting tokens (docs/budgets.md). A class, because object literals with getters take kilobytes. */
class CollectedText implements WrittenText {
  beyondBytes = 0;
  sawReasoning = false;
  readonly #joined: string[] = [];
  #pieces: string[] = [];
  #keptChars = 0;

  add(kind: AnswerText['kind'], text: string): void {
    this.sawReasoning ||= kind === 'reasoning';
    if (this.#keptChars + text.length > MAX_KEPT_CHARS) {
      this.beyondBytes += Buffer.byteLength(text);
      return;
    }
    this.#keptChars += text.length;
    this.#pieces.push(text);
    if (this.#pieces.length < MAX_PIECES) return;
    this.#joined.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  get text(): string {
    return this.#joined.join('') + this.#pieces.join('');
  }
}

/** @param isTraced whether to collect the answer's id and finish reasons */
export function newAnswer(isTraced = false): Answer {
  return {
    whole: undefined,
    facts: undefined,
    usage: undefined,
    wroteSinceUsage: false,
    billing: createBillingReader(),
    identity: isTraced ? createIdentityReader() : undefined,
    written: new CollectedText(),
    complete: false,
  };
}

export function* keepAccount(answer: Answer, event: StreamEvent): Work<void> {
  for (const delta of event.deltas) {
    if (delta.repeats === true || delta.copies !== undefined) continue;
    answer.written.add(delta.kind, delta.text);
    answer.wroteSinceUsage = true;
    // Another candidate may begin after the first one.
    answer.complete = false;
    yield ITEM_CHARS;
  }
  if (event.usage !== undefined) {
    answer.usage = event.usage;
    answer.wroteSinceUsage = false;
  }
  answer.billing.add(event.json);
  answer.identity?.add(event.json);
  if (event.done === true && event.failed !== true) answer.complete = true;
}
