import { domainToASCII } from 'node:url';

/**
 * Whether a domain is one of a list, or below one of them; in any case of letters, and of its Unicode and its ASCII
 * form. What people write around a domain is left out: `@example.org`, `*.example.org`.
 */
export function createHostList(hosts: readonly string[]): (domain: string) => boolean {
  const listed = new Set(hosts.map((host) => canonical(host.trim().replace(/^[@*.]+/, ''))));
  listed.delete('');
  if (listed.size === 0) return () => false;
  return (domain) => {
    let name = canonical(domain);
    while (!listed.has(name)) {
      const dot = name.indexOf('.');
      if (dot === -1) return false;
      name = name.slice(dot + 1);
    }
    return true;
  };
}

function canonical(host: string): string {
  const name = host.toLowerCase().replace(/\.$/, '');
  // Empty where it is no domain, such as `a_b.example`.
  return domainToASCII(name) || name;
}
