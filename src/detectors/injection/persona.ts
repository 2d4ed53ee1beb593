import type { Finding } from '../finding.ts';
import type { Sign } from './signs.ts';

/** Sum of sign weights within `span` UTF-16 code units that makes an attack. */
interface Scale {
  readonly span: number;
  readonly score: number;
  /** Required sum if no sign assigns a role. */
  readonly rolelessScore: number;
}

/** Wider spans require higher sums, because more signs occur by chance. */
const PERSONA_SCALES: readonly Scale[] = [
  { span: 512, score: 5, rolelessScore: 9 },
  { span: 1024, score: 6, rolelessScore: 9 },
  { span: 4096, score: 9, rolelessScore: 11 },
];

export const PERSONA_RULE = 'persona';

export interface SeenSign {
  readonly sign: Sign;
  readonly start: number;
  readonly end: number;
}

/** Sums sign weights in sliding windows. `signs` must be ordered by `start`. Takes linear time. */
export function findPersonas(signs: readonly SeenSign[]): readonly Finding[] {
  const windows = PERSONA_SCALES.map((scale) => new SignWindow(scale, signs));
  const found: Finding[] = [];
  for (const seen of signs) {
    for (const window of windows) {
      const start = window.add(seen);
      if (start !== undefined) addPersona(found, start, seen.end);
    }
  }
  return found;
}

/** Merges a persona with the ones that it overlaps, because a longer window may begin earlier. */
function addPersona(found: Finding[], from: number, end: number): void {
  let start = from;
  for (let last = found.at(-1); last !== undefined && start < last.end; last = found.at(-1)) {
    start = Math.min(start, last.start);
    found.pop();
  }
  found.push({ detector: 'prompt_injection', class: 'persona', rule: PERSONA_RULE, start, end });
}

class SignWindow {
  readonly #scale: Scale;
  readonly #signs: readonly SeenSign[];
  readonly #counts = new Map<Sign, number>();
  #first = 0;
  #score = 0;
  #roles = 0;

  constructor(scale: Scale, signs: readonly SeenSign[]) {
    this.#scale = scale;
    this.#signs = signs;
  }

  /** Adds the next sign and drops signs that are too far back. Returns the start of an attack, or undefined. */
  add({ sign, start, end }: SeenSign): number | undefined {
    this.#count(sign, 1);
    let oldest = this.#signs[this.#first];
    while (oldest !== undefined && oldest.start < end - this.#scale.span) {
      this.#count(oldest.sign, -1);
      oldest = this.#signs[++this.#first];
    }
    const { score, rolelessScore } = this.#scale;
    return this.#score >= (this.#roles > 0 ? score : rolelessScore) ? (oldest?.start ?? start) : undefined;
  }

  #count(sign: Sign, step: 1 | -1): void {
    const count = (this.#counts.get(sign) ?? 0) + step;
    this.#counts.set(sign, count);
    const isChange = step === 1 ? count === 1 : count === 0;
    if (!isChange) return;
    this.#score += step * sign.weight;
    if (sign.givesRole === true) this.#roles += step;
  }
}
