import type { Finding } from '../detectors/finding.ts';
import { distinctFindings, type RefusalFinding } from '../where-found.ts';
import { GatewayError } from '../errors.ts';
import { HEADER } from '../headers.ts';
import type { Denial, Verdict } from '../pipeline/check.ts';
import type { Answered } from '../pipeline/exchange.ts';
import { unparseable } from '../json/document-shape.ts';
import type { JsonPath } from '../json/path.ts';

/** One thing that was found. Holds its text, so it is neither logged nor kept. */
export interface Found {
  readonly finding: Finding;
  readonly text: string;
  /** The message in which it stands, where that is known. */
  readonly where?: Pick<RefusalFinding, 'place' | 'role' | 'kind'>;
}

/** What was found, as its client is told: never the text. */
export function refusedFor(found: readonly Found[]): readonly RefusalFinding[] {
  const told = found.map(({ finding, where }): RefusalFinding => ({
    rule: 'dlp',
    detector: finding.detector,
    finding: finding.rule,
    class: finding.class,
    ...where,
  }));
  return distinctFindings(told);
}

/** What a body holds, and how it is taken out. */
export interface Inspected {
  readonly found: readonly Found[];
  /** Works out what is left with `***` in place of everything that was found; resolves to what puts it into effect. */
  readonly mask: () => Promise<() => void>;
}

export const CLEAN: Inspected = { found: [], mask: () => Promise.resolve(() => undefined) };

/** Whose body it is. */
export type Side = 'request' | 'answer';

/** What the edits of one body may cost together, in steps of their paths: 40,000 places, fewer where they lie deep. */
const MAX_STEPS = 800_000;
const STEPS_OF_A_PLACE = 16;

/** Findings in one body, repeated texts' counted once: a list of 2 MiB of nothing but addresses has 200,000. */
export const MAX_FINDINGS = 250_000;

/** Counts the places of one document where something is masked. */
export class MaskedPlaces {
  readonly #side: Side;
  #steps = 0;

  constructor(side: Side) {
    this.#side = side;
  }

  /** @throws GatewayError invalid_request, upstream_unavailable where they are too many to be edited in one turn */
  add(path: JsonPath): void {
    this.#steps += STEPS_OF_A_PLACE + path.length;
    if (this.#steps > MAX_STEPS) throw tooMuchToMask(this.#side);
  }
}

/**
 * @throws GatewayError invalid_request, upstream_unavailable where the findings are too many to be put in order, or were
 * too many to be searched for to the end
 */
export function assertMaskable(count: number, isWhole: boolean, side: Side): void {
  if (!isWhole || count > MAX_FINDINGS) throw tooMuchToMask(side);
}

export function tooMuchToMask(side: Side): GatewayError {
  if (side === 'answer') return unparseable('holds more to mask than is masked in one answer');
  return new GatewayError(
    'invalid_request',
    'the request holds more to mask than is masked in one body: send it in parts',
  );
}

/** Names what is masked in one stream, each name once. */
export class MaskedNames {
  readonly #names: Set<string>;
  #unreported: string[] = [];

  /** @param names is added to */
  constructor(names = new Set<string>()) {
    this.#names = names;
  }

  get any(): boolean {
    return this.#names.size > 0;
  }

  add(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    this.#unreported.push(name);
  }

  /** Returns the reason for an event in which something new was masked. */
  takeReason(): string | undefined {
    if (this.#unreported.length === 0) return undefined;
    const reason = maskedReason(this.#unreported.join(', '));
    this.#unreported = [];
    return reason;
  }
}

/** Refuses an answer that cannot be inspected. */
export function unreadable(why: string): Denial {
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: `the provider sent an answer that cannot be inspected: ${why}`,
  };
}

/**
 * Returns the verdict that masks an answer.
 * @param what was found, never the text of it
 */
export function masking({ responseHeaders }: Answered, what: string, mask: () => void): Verdict {
  return {
    kind: 'rewrite',
    reason: maskedReason(what),
    apply() {
      mask();
      responseHeaders.set(HEADER.dlpRedacted, 'true');
    },
  };
}

function maskedReason(what: string): string {
  return `masked in the answer: ${what}`;
}
