import { createHeaderInspection } from '../../inspect/whole/answer-headers.ts';
import { masking } from '../../inspect/inspected.ts';
import { createAnswerRewriter, maskAnswer, type AnswerMasks } from '../../inspect/whole/mask-answer.ts';
import { PASS, type Check, type Verdict } from '../../pipeline/check.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import { RecentMap } from '../../recent-map.ts';
import { createCredentialSearch } from './search.ts';

/** Number of cached credential searches, including those of renewed credentials. */
const MAX_KEPT = 64;

/** Masks one credential in the answers to requests that carried it. */
interface CredentialMask {
  readonly masks: AnswerMasks;
  readonly inspectHeaders: ReturnType<typeof createHeaderInspection>;
}

export interface HeldCredentialDeps {
  /** Called for each answer in which the credential is masked. */
  readonly onMasked: () => void;
}

/**
 * Masks a credential of the gateway in the answer to a request that carried it (docs/provider-credentials.md), even
 * without DLP and in shadow mode: clients must never receive it.
 */
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
