import type { StreamEvent, TextDelta } from '../../providers/provider.ts';

/** Characters that are kept of a stream before they are judged. */
const MAX_KEPT_CHARS = 262_144;
/** Kept of each text when it is judged before its end, so that a match may go on. */
const OVERLAP_CHARS = 8_192;
/** Texts that run at once; over it, those that were judged are dropped. */
const MAX_TEXTS = 512;

/** Puts the pieces of a streamed completion together, text by text: choices and tool calls may run side by side. */
export class StreamedTexts {
  #texts = new Map<string, string>();
  #chars = 0;

  get isFull(): boolean {
    return this.#chars > MAX_KEPT_CHARS;
  }

  add({ deltas }: StreamEvent): void {
    for (const delta of deltas) {
      this.#chars += delta.text.length;
      for (const name of namesOf(delta)) this.#texts.set(name, (this.#texts.get(name) ?? '') + delta.text);
    }
  }

  /** All texts so far; their ends stay, for a match that goes on. */
  takeFull(): string[] {
    const texts = [...this.#texts.values()];
    const kept = [...this.#texts].slice(-MAX_TEXTS);
    this.#texts = new Map(kept.map(([name, text]) => [name, text.slice(-OVERLAP_CHARS)]));
    this.#chars = 0;
    return texts;
  }

  /** All texts since the last time. */
  takeAll(): string[] {
    const texts = [...this.#texts.values()];
    this.#texts = new Map();
    return texts;
  }
}

/** Clients join some channels into one text, and a copy of what was streamed is no part of it. */
function namesOf({ channel, joins, repeats }: TextDelta): readonly string[] {
  const name = repeats === true ? `again ${channel}` : `text ${channel}`;
  return joins === undefined || repeats === true ? [name] : [name, `joined ${joins}`];
}
