import { CONTENT_CLASSES, type ContentClass, type Finding } from '../../detectors/finding.ts';
import {
  createMaskingRewriter,
  type FindingsJudge,
  type StreamSearch,
} from '../../inspect/stream/rewriter.ts';
import type { Denial, StreamRewriter } from '../../pipeline/check.ts';
import type { DlpAction } from './actions.ts';
import { MaskedNames, type Found } from '../../inspect/inspected.ts';

export interface StreamRewriterDeps extends StreamSearch {
  readonly actionOf: (found: ContentClass) => DlpAction;
  /** Returns the denial that cuts the stream. Findings contain the matched text: digest it, do not store it. */
  readonly onQuarantine: (found: readonly Found[]) => Denial;
  /** Called once per class and stream. */
  readonly onFound: (found: ContentClass, action: DlpAction) => void;
  /** Called with the first findings, which must not be stored either. */
  readonly onEvidence?: (found: readonly Found[]) => void;
}

/** Findings reported per stream. */
const MAX_EVIDENCE = 64;

/** Masks a streamed answer, or cuts it off at a finding that must not pass. */
export function createDlpRewriter(deps: StreamRewriterDeps): StreamRewriter {
  return createMaskingRewriter(deps, new StreamFindings(deps));
}

class StreamFindings extends MaskedNames implements FindingsJudge {
  readonly #deps: StreamRewriterDeps;
  readonly #classes = new Set<ContentClass>();
  /** Keyed by class and rule: one event may have hundreds of thousands of findings. */
  readonly #actions = new Map<string, Map<string, DlpAction | undefined>>();
  #evidence = 0;

  constructor(deps: StreamRewriterDeps) {
    super();
    this.#deps = deps;
  }

  judge(found: readonly Found[]): Denial | undefined {
    if (this.#deps.onEvidence !== undefined) this.#reportEvidence(found);
    const withheld = found.filter(({ finding }) => this.#actionOf(finding) === 'quarantine');
    return withheld.length === 0 ? undefined : this.#deps.onQuarantine(withheld);
  }

  #reportEvidence(found: readonly Found[]): void {
    const reported = found.slice(0, MAX_EVIDENCE - this.#evidence);
    if (reported.length === 0) return;
    this.#evidence += reported.length;
    this.#deps.onEvidence?.(reported);
  }

  #actionOf({ class: name, rule }: Finding): DlpAction | undefined {
    const known = this.#actions.get(name) ?? new Map<string, DlpAction | undefined>();
    if (known.has(rule)) return known.get(rule);
    const action = this.#note(name, rule);
    this.#actions.set(name, known.set(rule, action));
    return action;
  }

  #note(name: string, rule: string): DlpAction | undefined {
    const found = CONTENT_CLASSES.find((known) => known === name);
    if (found === undefined) return undefined;
    const action = this.#deps.actionOf(found);
    if (!this.#classes.has(found)) this.#deps.onFound(found, action);
    this.#classes.add(found);
    if (action === 'mask') this.add(`${found} (${rule})`);
    return action;
  }
}
