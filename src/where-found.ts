import type { JsonPath } from './json/path.ts';
import type { PromptText } from './providers/request-facts.ts';

/** A reason for a refusal: the rule, the finding and the message that contains it, without the text or its offsets. */
export interface RefusalFinding {
  /** The policy rule, or the check. */
  readonly rule: string;
  readonly detector?: string;
  /** The detector rule. */
  readonly finding?: string;
  readonly class?: string;
  /** `messages[3]`, `system`, `tools[0]`; see `placeOf`. */
  readonly place?: string;
  readonly role?: PromptText['role'];
  readonly kind?: PromptText['kind'];
  /** 0 to 1. Set by detectors that score. */
  readonly score?: number;
  /** Version of the scoring model. */
  readonly version?: string;
}

export const MAX_REFUSAL_FINDINGS = 8;
const MAX_EXAMINED = 512;

/** Returns the first distinct findings. One without a place is kept only if no other of its kind has a place. */
export function distinctFindings(found: readonly RefusalFinding[]): readonly RefusalFinding[] {
  const examined = found.slice(0, MAX_EXAMINED);
  const kindOf = ({ rule, detector, finding }: RefusalFinding): string =>
    JSON.stringify([rule, detector, finding]);
  const placed = new Set(examined.filter(({ place }) => place !== undefined).map(kindOf));
  const distinct = new Map<string, RefusalFinding>();
  for (const finding of examined) {
    if (finding.place === undefined && placed.has(kindOf(finding))) continue;
    const key = JSON.stringify([kindOf(finding), finding.place, finding.kind]);
    if (!distinct.has(key)) distinct.set(key, finding);
    if (distinct.size === MAX_REFUSAL_FINDINGS) break;
  }
  return [...distinct.values()];
}

/** Member names that locate a message in the known dialects. Other names may be client text. */
const NAMED: ReadonlySet<string> = new Set([
  'messages',
  'contents',
  'input',
  'prompt',
  'prompt_text',
  'system',
  'systemInstruction',
  'system_instruction',
  'instructions',
  'preamble',
  'message',
  'chat_history',
  'documents',
  'tools',
  'toolConfig',
  'tool_results',
  'functions',
  'query',
  'suffix',
  'texts',
  'params',
  'arguments',
  'result',
  'error',
  'name',
  'uri',
  'converse',
  'generateContentRequest',
  'generate_content_request',
]);
/** Members in which another member may locate the message. */
const OUTER: ReadonlySet<string> = new Set([
  'converse',
  'generateContentRequest',
  'generate_content_request',
  'params',
  'input',
]);
const MAX_STEPS = 4;

/** Returns the part of a path that locates a message, such as `messages[3]`. Names outside the dialects become `*`. */
export function placeOf(path: JsonPath): string {
  let place = '';
  let isOuter = true;
  for (const step of path.slice(0, MAX_STEPS)) {
    if (typeof step === 'number') return `${place}[${String(step)}]`;
    if (!isOuter) break;
    const name = NAMED.has(step) ? step : '*';
    place += place === '' ? name : `.${name}`;
    isOuter = OUTER.has(step);
  }
  return place;
}

export function whereSaid({
  path,
  role,
  kind,
}: Pick<PromptText, 'path' | 'role' | 'kind'>): Pick<RefusalFinding, 'place' | 'role' | 'kind'> {
  return { place: placeOf(path), role, kind };
}
