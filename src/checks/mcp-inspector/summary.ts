import type { Denial } from '../../pipeline/check.ts';
import type { Judgement } from './judge.ts';
import type { Withholding } from './tool-list.ts';

/** Names of tools are the server's: only how many are left out is told. */
const WITHHELD: Readonly<globalThis.Record<Withholding, string>> = {
  poisoned: 'with an attack in a name',
  changed: 'changed since first seen',
  unreadable: 'without a readable name',
};

/** What was found and done, for a record: rules, never what was matched. */
export function describe({ attacks, secrets, withheld, changed }: Judgement): string {
  const rules = [...new Set([...secrets, ...attacks].map(({ finding }) => finding.rule))];
  const reasons = Object.entries(WITHHELD).flatMap(([why, name]) => {
    const count = [...withheld.values()].filter((one) => one === why).length;
    return count === 0 ? [] : [`left out tools ${name}: ${String(count)}`];
  });
  if (rules.length > 0) reasons.unshift(`taken out: ${rules.join(', ')}`);
  const shown = changed.filter((tool) => !withheld.has(tool)).length;
  if (shown > 0) reasons.push(`tools changed since first seen: ${String(shown)}`);
  return reasons.join('; ');
}

/** Whether something was taken out of what the server said (`X-Gateway-Response-Redacted`). */
export function isRedacted({ attacks, secrets, withheld }: Judgement): boolean {
  return attacks.length > 0 || secrets.length > 0 || withheld.size > 0;
}

/** Nothing passes that could not be read. */
export function refused(why: string): Denial {
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: `the MCP server's answer cannot be inspected: ${why}`,
  };
}
