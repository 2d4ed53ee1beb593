import { CONTENT_CLASSES } from '../../detectors/finding.ts';
import type { ContentClass, Finding } from '../../detectors/finding.ts';

export type DlpAction = 'mask' | 'quarantine';

/** What stands in place of a finding. */
export const MASK = '***';

const READABLE: Readonly<Record<ContentClass, string>> = {
  secret: 'secrets',
  email: 'email addresses',
  card: 'payment card numbers',
  ssn: 'US social security numbers',
  phone: 'phone numbers',
  network: 'private network addresses',
};

/**
 * What becomes of a class (docs/dlp.md): secrets quarantine, everything else is masked.
 * @param configured `server.dlp.action`: one action for all
 */
export function actionFor(found: ContentClass, configured: DlpAction | undefined): DlpAction {
  return configured ?? (found === 'secret' ? 'quarantine' : 'mask');
}

/** The classes of some findings, each once, in the order of CONTENT_CLASSES. */
export function classesOf(findings: Iterable<Finding>): readonly ContentClass[] {
  const found = new Set<string>();
  for (const finding of findings) found.add(finding.class);
  return CONTENT_CLASSES.filter((one) => found.has(one));
}

/** What was found, for a record: each class and rule once. */
export function rulesOf(found: Iterable<{ readonly finding: Finding }>): string {
  const rules = new Set<string>();
  for (const { finding } of found) rules.add(`${finding.class} (${finding.rule})`);
  return [...rules].join(', ');
}

/** For a person to read: what was found, never which. */
export function named(classes: readonly ContentClass[]): string {
  return classes.map((one) => READABLE[one]).join(', ');
}
