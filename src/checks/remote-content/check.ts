import type { JsonPath } from '../../json/path.ts';
import { PASS, type Check, type Denial } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { Media, RemoteMedia } from '../../providers/request-facts.ts';
import type { ProviderName } from '../../providers/registry.ts';
import { policyDenied } from '../denials.ts';
import { isAllowedHost, isInsideHost, readAddress } from './address.ts';
import type { RemoteContent } from './config.ts';

export interface RemoteContentOptions {
  readonly setting: RemoteContent | undefined;
  /** Reports whether any rule reads prompts. If so, unreadable content is denied by default. */
  readonly isTextJudged: () => boolean;
  /** Reports whether a provider is in the operator's network, where it can reach what clients cannot. */
  readonly isInside: (provider: ProviderName) => boolean;
  readonly shadowMode: boolean;
}

/**
 * Denies content that the provider would fetch from a URL in the request, as configured, and prompts of token ids or
 * vectors if any rule reads prompts. Always denies URLs through which a provider in the operator's network could fetch
 * content from that network (docs/remote-content.md).
 */
export function createRemoteContentCheck(options: RemoteContentOptions): Check<unknown, 'remote-content'> {
  const { setting, isTextJudged, isInside, shadowMode } = options;

  /**
   * Returns the first medium that the setting denies: hosts that are not listed and unclear addresses, but not the
   * provider's own cloud storage.
   */
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
    requestBody(exchange: Parsed) {
      const { request, provider } = exchange;
      if (request.encodedPrompt !== undefined && isTextJudged()) {
        const at = fieldOf(request.encodedPrompt);
        if (!shadowMode) return encodedDenial(at);
        return { kind: 'flag', reason: `would deny the prompt given as token ids or vectors in ${at}` };
      }
      if (request.media.length === 0) return PASS;
      const remote = request.media.filter(isRemote);
      const inside = remote.find(({ address }) => leadsInside(address));
      if (inside !== undefined) {
        if (isInside(provider.name)) return leadsInsideDenial(inside);
        // All targets get the same media, so only targets that may fetch them remain.
        exchange.fallbacks &&= exchange.fallbacks.filter((fallback) => !isInside(fallback.provider.name));
      }
      const denied = unwanted(remote);
      if (denied === undefined) return PASS;
      // In shadow mode, the rules behind this denial deny nothing either.
      return shadowMode && setting === undefined
        ? { kind: 'flag', reason: `would deny the URL in ${fieldOf(denied.path)}` }
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
    `the prompt in ${at} consists of token ids or vectors, which the configured prompt checks cannot read: send it as text (LangChain's OpenAIEmbeddings: check_embedding_ctx_length=False)`,
  );
}

function remoteDenial(media: RemoteMedia): Denial {
  return policyDenied(
    `the provider would fetch ${fieldOf(media.path)} from its URL, so the gateway cannot inspect it: send the content itself (Base64, a data URL), or ask the operator to add its host to proxy.remote_content`,
  );
}

function leadsInsideDenial(media: RemoteMedia): Denial {
  return policyDenied(
    `${fieldOf(media.path)} must be an http:// or https:// URL of a public host, in ASCII and without a user name, or a data URL: this provider is self-hosted, and other URLs could lead into its network`,
  );
}

/**
 * Returns the path as a dotted name. Truncates members, which may come from the client, and replaces special
 * characters.
 */
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
