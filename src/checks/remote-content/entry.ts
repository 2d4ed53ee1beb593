import { PROVIDER_NAMES, providers as known } from '../../providers/registry.ts';
import { checkEntry } from '../entry.ts';

export const remoteContent = checkEntry(async ({ proxy, providers, server }, { policies }) => {
  const [{ createRemoteContentCheck }, { isInsideHost, readAddress }] = await Promise.all([
    import('./check.ts'),
    import('./address.ts'),
  ]);
  function isInside(url: string | undefined): boolean {
    const read = url === undefined ? undefined : readAddress(url);
    return read?.kind === 'web' && isInsideHost(read.host);
  }
  const inside = new Set(
    PROVIDER_NAMES.filter((name) => known[name].selfHosted || isInside(providers[name].base_url)),
  );
  return createRemoteContentCheck({
    setting: proxy.remote_content,
    isTextJudged: () => server.dlp.requests !== 'off' || policies?.current().judgesPrompts === true,
    isInside: (name) => inside.has(name),
    shadowMode: server.shadow_mode,
  });
});
