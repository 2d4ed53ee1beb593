import type { StreamEvent, TextDelta } from '../../providers/provider.ts';

/** Characters of a stream kept before they are judged. */
const MAX_KEPT_CHARS = 262_144;
/** Characters kept of each text when judged early, so that a match can continue. */
const OVERLAP_CHARS = 8_192;
/** Texts at the same time; beyond this, judged ones are dropped. */
const MAX_TEXTS = 512;

/** Assembles the texts of a streamed completion, whose choices and tool calls may interleave. */
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

  /** Returns all texts so far and keeps their ends, for matches that continue. */
  takeFull(): string[] {
    const texts = [...this.#texts.values()];
    const kept = [...this.#texts].slice(-MAX_TEXTS);
    this.#texts = new Map(kept.map(([name, text]) => [name, text.slice(-OVERLAP_CHARS)]));
    this.#chars = 0;
    return texts;
  }

  /** Returns all texts since the last call. */
  takeAll(): string[] {
    const texts = [...this.#texts.values()];
    this.#texts = new Map();
    return texts;
  }
}

/** Clients join some channels into one text; repeats of streamed text are kept separate. */
function namesOf({ channel, joins, repeats }: TextDelta): readonly string[] {
  const name = repeats === true ? `again ${channel}` : `text ${channel}`;
  return joins === undefined || repeats === true ? [name] : [name, `joined ${joins}`];
}
