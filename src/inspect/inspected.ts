import type { FindAll, Finding } from '../detectors/finding.ts';
import { distinctFindings, type RefusalFinding } from '../where-found.ts';
import { GatewayError } from '../errors.ts';
import { HEADER } from '../headers.ts';
import type { Denial, Verdict } from '../pipeline/check.ts';
import type { Answered } from '../pipeline/exchange.ts';
import { unparseable } from '../json/document-shape.ts';
import type { JsonEdit, JsonPath } from '../json/path.ts';
import { after, type Awaitable } from '../turns.ts';

/** A finding with its text. Must not be logged or stored. */
export interface Found {
  readonly finding: Finding;
  readonly text: string;
  readonly where?: Pick<RefusalFinding, 'place' | 'role' | 'kind'>;
}

/** Describes findings for clients, without their texts. */
export function refusedFor(found: readonly Found[]): readonly RefusalFinding[] {
  const described = found.map(({ finding, where }): RefusalFinding => ({
    rule: 'dlp',
    detector: finding.detector,
    finding: finding.rule,
    class: finding.class,
    ...where,
  }));
  return distinctFindings(described);
}

export interface Inspected {
  readonly found: readonly Found[];
  /** Prepares a mask (`***`) for every finding. Resolves to a function that applies the masks. */
  readonly mask: () => Promise<() => void>;
  /** All searched texts, if nothing was found. */
  readonly searched?: readonly string[];
}

export const CLEAN: Inspected = { found: [], mask: () => Promise.resolve(() => undefined) };

/** Reports whether `findAll` finds nothing in the texts that the DLP check searched. False if the body was edited. */
export function findsNothing(
  {
    searched,
    edits,
  }: { readonly searched?: readonly string[] | undefined; readonly edits: readonly JsonEdit[] },
  findAll: FindAll,
): Awaitable<boolean> {
  if (searched === undefined || edits.length > 0) return false;
  return after(findAll(searched), (found) =>
    found.every(({ findings, isWhole }) => isWhole && findings.length === 0),
  );
}

export type Side = 'request' | 'answer';

/** Limit on the edits in one body, in path steps: about 40,000 places, or fewer deep ones. */
const MAX_STEPS = 800_000;
const STEPS_OF_A_PLACE = 16;

/** Maximum number of findings in one body; repeated texts count once. 2 MiB of email addresses may contain 200,000. */
export const MAX_FINDINGS = 250_000;

export class MaskedPlaces {
  readonly #side: Side;
  #steps = 0;

  constructor(side: Side) {
    this.#side = side;
  }

  /** @throws GatewayError invalid_request, upstream_unavailable if the body needs too many edits */
  add(path: JsonPath): void {
    this.#steps += STEPS_OF_A_PLACE + path.length;
    if (this.#steps > MAX_STEPS) throw tooMuchToMask(this.#side);
  }
}

/** @throws GatewayError invalid_request, upstream_unavailable if there are too many findings, or not all are known */
export function assertMaskable(count: number, isWhole: boolean, side: Side): void {
  if (!isWhole || count > MAX_FINDINGS) throw tooMuchToMask(side);
}

export function tooMuchToMask(side: Side): GatewayError {
  if (side === 'answer') return unparseable('has more to mask than the gateway can mask in one answer');
  return new GatewayError(
    'invalid_request',
    'the request has more to mask than the gateway can mask in one body; split it into smaller requests',
  );
}

export class MaskedNames {
  readonly #names: Set<string>;
  #unreported: string[] = [];

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

  takeReason(): string | undefined {
    if (this.#unreported.length === 0) return undefined;
    const reason = maskedReason(this.#unreported.join(', '));
    this.#unreported = [];
    return reason;
  }
}

export function unreadable(why: string): Denial {
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: `the provider sent an answer that cannot be inspected: ${why}`,
  };
}

/** @param what describes the findings, without their texts */
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
