import { CONTENT_CLASSES, type ContentClass, type Finding } from '../../detectors/finding.ts';
import { HEADER } from '../../headers.ts';
import { calledTool, type McpMessage } from '../../mcp/message.ts';
import type { Denial } from '../../pipeline/check.ts';
import { policyDenied } from '../denials.ts';

export type DlpAction = 'mask' | 'quarantine';

const READABLE: Readonly<Record<ContentClass, string>> = {
  secret: 'secrets',
  email: 'email addresses',
  card: 'payment card numbers',
  ssn: 'US social security numbers',
  phone: 'phone numbers',
  network: 'private network addresses',
  credentials: 'passwords',
  iban: 'bank account numbers',
  wallet_key: 'wallet private keys',
  seed_phrase: 'wallet seed phrases',
};

/** `configured` (`server.dlp.action`) applies to all classes. Default: quarantine secrets, mask everything else. */
export function actionFor(found: ContentClass, configured: DlpAction | undefined): DlpAction {
  return configured ?? (found === 'secret' ? 'quarantine' : 'mask');
}

export function classesOf(findings: Iterable<Finding>): readonly ContentClass[] {
  const found = new Set<string>();
  for (const finding of findings) found.add(finding.class);
  return CONTENT_CLASSES.filter((name) => found.has(name));
}

export function rulesOf(found: Iterable<{ readonly finding: Finding }>): string {
  const rules = new Set<string>();
  for (const { finding } of found) rules.add(`${finding.class} (${finding.rule})`);
  return [...rules].join(', ');
}

function named(classes: readonly ContentClass[]): string {
  return classes.map((name) => READABLE[name]).join(', ');
}

export function quarantined(classes: readonly ContentClass[], enforce: () => Promise<void>): Denial {
  return {
    kind: 'deny',
    type: 'dlp_quarantine',
    message: `the answer was withheld: it contains ${named(classes)}`,
    headers: { [HEADER.dlpBlock]: 'true' },
    enforce,
  };
}

export function requestDenied(classes: readonly ContentClass[], mcp: McpMessage | undefined): Denial {
  return refusedRequest(`the request contains ${named(classes)}: leave them out`, mcp);
}

export function requestNotMaskable(classes: readonly ContentClass[], mcp: McpMessage | undefined): Denial {
  const where = 'in a part that cannot be masked (member name, URL, signed or encoded text)';
  return refusedRequest(`the request contains ${named(classes)} ${where}: leave them out`, mcp);
}

function refusedRequest(reason: string, mcp: McpMessage | undefined): Denial {
  const toolName = calledTool(mcp);
  const details = { reason, rule: 'dlp', ...(toolName !== undefined && { toolName }) };
  return { ...policyDenied(reason, details), headers: { [HEADER.dlpBlock]: 'true' } };
}
