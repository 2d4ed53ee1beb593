import type { Answered } from '../../pipeline/exchange.ts';
import { credentialRefused } from '../../provider-credentials/choose.ts';
import type { Provider } from '../../providers/registry.ts';
import type { StreamContext } from '../context.ts';

type Services = Pick<StreamContext['services'], 'providerCredentials'>;

const KEY_REFUSALS: readonly number[] = [401];

/** Reports whether only the body, not the status, shows that the provider refused one of the gateway's credentials. */
export function isDecidedByBody({
  heldCredential,
  provider,
  status,
}: Pick<Answered, 'heldCredential' | 'provider' | 'status'>): boolean {
  const { keyRefusedIn }: Provider = provider;
  return heldCredential !== undefined && keyRefusedIn?.statuses.includes(status) === true;
}

/** Records by status whether the provider accepted the gateway's credential. Throws credential_unavailable if not. */
export function assertCredential(services: Services, exchange: Answered): void {
  const { provider, status } = exchange;
  if (isDecidedByBody(exchange)) return;
  note(services, exchange, (provider.keyRefusals ?? KEY_REFUSALS).includes(status));
}

/** Same as `assertCredential`, but decides by the body of an error. */
export function assertCredentialInBody(services: Services, exchange: Answered): void {
  const { keyRefusedIn }: Provider = exchange.provider;
  if (!isDecidedByBody(exchange) || keyRefusedIn === undefined) return;
  const text = exchange.answer.whole?.body.toString('utf8', 0, MAX_READ_BYTES) ?? '';
  note(services, exchange, keyRefusedIn.text.test(text));
}

/** Number of body bytes searched. Providers explain a refusal at the start of the body. */
const MAX_READ_BYTES = 16_384;

/** The provider's refusal may quote the credential, in full or in part, so the gateway's own refusal replaces it. */
function note({ providerCredentials }: Services, exchange: Answered, isRefused: boolean): void {
  const { heldCredential, providerKey } = exchange;
  if (heldCredential === undefined || providerKey === undefined) return;
  providerCredentials.answered(heldCredential, providerKey, isRefused);
  if (!isRefused) return;
  exchange.answer.complete = true;
  throw credentialRefused(heldCredential);
}
