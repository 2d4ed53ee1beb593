import type { JsonPath } from '../../json/path.ts';
import { PASS, type Check, type Denial } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { Media, ProviderName, RemoteMedia } from '../../providers/provider.ts';
import { policyDenied } from '../denials.ts';
import { isAllowedHost, isInsideHost, readAddress } from './address.ts';
import type { RemoteContent } from './config.ts';

export interface RemoteContentOptions {
  /** `proxy.remote_content`. */
  readonly setting: RemoteContent | undefined;
  /** Some rule reads prompts: what it cannot read is then denied unless the setting says otherwise. */
  readonly isTextJudged: () => boolean;
  /** The provider is an engine inside the operator's own network, which reaches what a client cannot. */
  readonly isInside: (provider: ProviderName) => boolean;
  readonly shadowMode: boolean;
}

/**
 * Denies prompts of token ids while something reads prompts, what a provider would fetch by an address in the request, and nobody here reads, as the operator has it; and
 * always what an engine inside the operator's network would fetch from there (docs/remote-content.md).
 */
export function createRemoteContentCheck(options: RemoteContentOptions): Check<unknown, 'remote-content'> {
  const { setting, isTextJudged, isInside, shadowMode } = options;

  /** The first that the setting is against; a list is against every host that it does not name. */
  function unwanted(remote: readonly RemoteMedia[]): RemoteMedia | undefined {
    if (setting === 'allow' || (setting === undefined && !isTextJudged())) return undefined;
    const allowed = typeof setting === 'object' ? setting : [];
    return remote.find(({ address }) => {
      const read = readAddress(address);
      if (read.kind === 'web') return !isAllowedHost(read.host, allowed);
      return read.kind === 'unclear';
    });
  }

  return {
    name: 'remote-content',
    shadowable: false,
    requestBody({ request, provider }: Parsed) {
      if (request.encodedPrompt !== undefined && isTextJudged()) {
        const at = fieldOf(request.encodedPrompt);
        if (!shadowMode) return encodedDenial(at);
        return { kind: 'flag', reason: `would deny the prompt as token ids or vectors in ${at}` };
      }
      if (request.media.length === 0) return PASS;
      const remote = request.media.filter(isRemote);
      if (isInside(provider.name)) {
        const inside = remote.find(({ address }) => leadsInside(address));
        if (inside !== undefined) return leadsInsideDenial(inside);
      }
      const denied = unwanted(remote);
      if (denied === undefined) return PASS;
      // The rules that it is denied for deny nothing in shadow mode either.
      return shadowMode && setting === undefined
        ? { kind: 'flag', reason: `would deny the address in ${fieldOf(denied.path)}` }
        : remoteDenial(denied);
    },
  };
}

function isRemote(media: Media): media is RemoteMedia {
  return media.source === 'url';
}

function leadsInside(address: string): boolean {
  const read = readAddress(address);
  return read.kind === 'web' ? isInsideHost(read.host) : read.kind !== 'inline';
}

function encodedDenial(at: string): Denial {
  return policyDenied(
    `the prompt stands in ${at} as token ids or vectors, which the gateway cannot read, and the operator has prompts read: send it as text (LangChain's OpenAIEmbeddings: check_embedding_ctx_length=False)`,
  );
}

function remoteDenial(media: RemoteMedia): Denial {
  return policyDenied(
    `the provider would fetch ${fieldOf(media.path)} by its address, and the gateway cannot read it: send the content itself (base64, a data URL), or ask the operator to allow its host in proxy.remote_content`,
  );
}

function leadsInsideDenial(media: RemoteMedia): Denial {
  return policyDenied(
    `${fieldOf(media.path)} must be an http:// or https:// address of a public host, in ASCII and without a user name, or a data URL: this provider is self-hosted, and other addresses could lead into its network`,
  );
}

/** Members as they nest; what a client named itself is cut and cleaned, since it goes into a message. */
function fieldOf(path: JsonPath): string {
  return path
    .slice(0, 16)
    .map((step) =>
      String(step)
        .slice(0, 64)
        .replace(/[^A-Za-z0-9_-]/g, '?'),
    )
    .join('.');
}
