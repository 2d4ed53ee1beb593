import { createHeaderInspection } from '../../inspect/whole/answer-headers.ts';
import { masking, MAX_FINDINGS } from '../../inspect/inspected.ts';
import {
  type AnswerMasks,
  type AnswerSearch,
  createAnswerRewriter,
  maskAnswer,
} from '../../inspect/whole/mask-answer.ts';
import { type Check, PASS, type Verdict } from '../../pipeline/check.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import { RecentMap } from '../../recent-map.ts';
import { base64Within } from '../../detectors/known-values/known-values.ts';
import { createLiteralDetector } from '../../detectors/literal.ts';
import { findAllIgnoringInvisible, ignoringInvisible } from '../../detectors/ignore-invisible.ts';
import type { SearchedText, StreamDetector } from '../../detectors/finding.ts';
import { asOneDetector } from '../../detectors/overlaps.ts';
import { inTurns, type Work } from '../../turns.ts';

/** Number of cached credential searches, including those of renewed credentials. */
const MAX_KEPT = 64;

interface CredentialMask {
  readonly masks: AnswerMasks;
  readonly inspectHeaders: ReturnType<typeof createHeaderInspection>;
}

export interface HeldCredentialDeps {
  readonly onMasked: () => void;
}

/** Masks the gateway's credential in answers, even in shadow mode or without DLP (docs/provider-credentials.md). */
export function createHeldCredentialCheck({ onMasked }: HeldCredentialDeps): Check<unknown, 'dlp'> {
  const kept = new RecentMap<CredentialMask>(MAX_KEPT);

  function maskFor({ origin, heldCredential, providerKey }: Answered): CredentialMask | undefined {
    if (origin !== 'provider' || heldCredential === undefined || providerKey === undefined) return undefined;
    const known = kept.get(providerKey) ?? createMask(providerKey);
    kept.set(providerKey, known);
    return known;
  }

  async function whole(exchange: Answered, { masks, inspectHeaders }: CredentialMask): Promise<Verdict> {
    const headers = inspectHeaders(withMaskedHeaders(exchange));
    const maskHeaders = headers.found.length === 0 ? undefined : await headers.mask();
    const body = await maskAnswer(exchange, masks);
    if (body.kind === 'deny' || (body.kind === 'pass' && maskHeaders === undefined)) return body;
    onMasked();
    return masking(exchange, 'held_credential', () => {
      maskHeaders?.();
      if (body.kind === 'rewrite') body.apply();
    });
  }

  return {
    name: 'dlp',
    shadowable: false,
    response(exchange) {
      const mask = maskFor(exchange);
      return mask === undefined ? PASS : whole(exchange, mask);
    },
    stream(exchange) {
      const mask = maskFor(exchange);
      return mask && createAnswerRewriter(mask.masks, new Set(), onMasked);
    },
  };
}

function createMask(value: string): CredentialMask {
  const search = createCredentialSearch(value);
  return {
    masks: { everywhere: search, data: search, words: undefined },
    inspectHeaders: createHeaderInspection(search.stream),
  };
}

/** Returns the exchange with headers as changed by earlier checks. */
function withMaskedHeaders(exchange: Answered): Answered {
  const { answerHeaders, responseHeaders } = exchange;
  const now = [...answerHeaders].map(([name, value]) => [name, responseHeaders.get(name) ?? value] as const);
  return { ...exchange, answerHeaders: new Map(now) };
}

const LABEL = { detector: 'secrets', class: 'secret', rule: 'held_credential' } as const;

/** Shorter values occur in ordinary text by chance. */
const MIN_CHARS = 8;
/** Minimum length of the parts of a composed credential, such as an AWS access key and secret. */
const MIN_PART_CHARS = 16;

/**
 * Creates a search for one credential in answers: verbatim, in parts, and encoded as Base64, hex or percent escapes.
 */
export function createCredentialSearch(value: string): AnswerSearch {
  const values = [value, ...value.split(':').filter((part) => part.length >= MIN_PART_CHARS)];
  const written = new Set(values.flatMap((each) => (each.length < MIN_CHARS ? [] : formsOf(each))));
  const detectors = [...written].map((text) => createLiteralDetector(text, LABEL));
  const plain = asOneDetector(detectors);
  return {
    stream: ignoringInvisible(plain),
    findAll: findAllIgnoringInvisible(MAX_FINDINGS, (texts) => inTurns(findEach(texts, detectors, plain))),
  };
}

function* findEach(
  texts: readonly string[],
  detectors: readonly StreamDetector[],
  { find }: StreamDetector,
): Work<readonly SearchedText[]> {
  const all: SearchedText[] = [];
  for (const text of texts) {
    let isFound = false;
    for (const detector of detectors) {
      // Searching for one literal takes about an eighth of the usual time per character.
      yield text.length >> 3;
      isFound ||= detector.find(text).length > 0;
    }
    const findings = isFound ? find(text) : [];
    all.push({ findings, isWhole: findings.length <= MAX_FINDINGS });
  }
  return all;
}

function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  return [value, encodeURIComponent(value), hex, hex.toUpperCase(), ...base64Within(bytes)];
}
