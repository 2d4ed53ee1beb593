/**
 * Returns the reason why a key cannot have these provider credentials, or undefined if it can. Each must be configured,
 * and each must be for a different provider.
 * @param providers provider of each configured credential
 */
export function credentialFault(
  providers: Readonly<Record<string, string>>,
  names: readonly string[] = [],
): string | undefined {
  const byProvider = new Map<string, string>();
  for (const name of names) {
    const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
    if (provider === undefined) return `"${name}" is not in the configuration. See gateway credentials list`;
    const other = byProvider.get(provider);
    if (other !== undefined) return `${other} and ${name} are both for ${provider}. Keep one of them`;
    byProvider.set(provider, name);
  }
  return undefined;
}
