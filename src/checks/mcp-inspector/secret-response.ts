import { edited } from '../../json/edit-tree.ts';
import { hiddenTools, toolListIn } from '../../mcp/hidden-tools.ts';
import { calledTool } from '../../mcp/message.ts';
import type { Denial } from '../../pipeline/check.ts';
import { distinctFindings } from '../../where-found.ts';
import { policyDenied } from '../denials.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import { findingId } from '../finding-id.ts';
import type { ReportSecretLeak } from '../report-secret-leak.ts';
import type { SecretAction } from './config.ts';
import type { PlacedFinding } from '../../inspect/message/search.ts';
import { uninspectable } from '../../inspect/message/whole-message.ts';
import type { MessageJudgement, Uninspected } from './decide.ts';
import { maskedResult, mayBeShown } from './masked-result.ts';

/** The risk store ignores further findings. */
const MAX_REPORTED = 64;

export interface SecretResponseDeps {
  readonly reportSecretLeak: ReportSecretLeak;
  readonly action: SecretAction;
  /** `mcp.inspector.quarantine_duration`. */
  readonly lockMs: number;
}

export interface SecretResponse {
  /** Decides whether a message with secrets is withheld or masked. */
  readonly action: SecretAction;
  /** Scores the key, unless secrets are only masked, and locks it if the message is withheld. */
  report(exchange: Answered, secrets: readonly PlacedFinding[]): Promise<void>;
  /** Refuses a message for another reason, and reports secrets in it. */
  refusal(exchange: Answered, uninspected: Uninspected): Denial;
  /** Returns the error that an agent gets instead of a message with secrets, with the reason and the masked result. */
  denial(exchange: Answered, message: unknown, judgement: MessageJudgement): Denial;
}

export function createSecretResponse({
  reportSecretLeak,
  action,
  lockMs: quarantineMs,
}: SecretResponseDeps): SecretResponse {
  const lockMs = action === 'quarantine' ? quarantineMs : 0;
  const report: SecretResponse['report'] = (exchange, secrets) => {
    if (action === 'mask_unscored') return Promise.resolve();
    const findings = [
      ...new Set(secrets.map((secret) => findingId(secret.finding.rule, matchedText(secret)))),
    ];
    return reportSecretLeak({ exchange, findings: findings.slice(0, MAX_REPORTED), lockMs });
  };
  return {
    action,
    report,
    refusal: (exchange, { refusal, secrets }) => ({
      ...uninspectable(refusal),
      ...(secrets.length > 0 && { enforce: () => report(exchange, secrets) }),
    }),
    denial(exchange, message, { secrets, edits }) {
      const rules = [...new Set(secrets.map(({ finding }) => finding.rule))];
      const reason = `the answer contains a secret (${rules.join(', ')}), which was removed`;
      const toolName = calledTool(exchange.request.mcp);
      const hidden = hiddenTools(toolListIn(message, exchange.request.mcp) ?? [], exchange.key.allowedTools);
      const masked = mayBeShown(message) ? maskedResult(edited(message, [...edits, ...hidden])) : undefined;
      const details = {
        reason,
        ...(toolName !== undefined && { toolName }),
        ...(rules[0] !== undefined && { rule: rules[0] }),
        ...(masked !== undefined && { maskedResult: masked }),
      };
      const findings = distinctFindings(
        secrets.map(({ finding }) => ({
          rule: 'mcp-inspector',
          detector: finding.detector,
          finding: finding.rule,
          class: finding.class,
          place: 'result',
        })),
      );
      return { ...policyDenied(reason, details), findings, enforce: () => report(exchange, secrets) };
    },
  };
}

function matchedText({ spans }: PlacedFinding): string {
  return spans.map(({ source, start, end }) => source.text.slice(start, end)).join('');
}
