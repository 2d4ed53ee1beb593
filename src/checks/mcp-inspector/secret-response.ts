import { edited } from '../../json/edit-tree.ts';
import { hiddenTools, toolListIn } from '../../mcp/answer-shape.ts';
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
import { Walk } from '../../inspect/walk.ts';
import { isObject } from '../../json/is-object.ts';

/** The risk store ignores further findings. */
const MAX_REPORTED = 64;

export interface SecretResponseDeps {
  readonly reportSecretLeak: ReportSecretLeak;
  readonly action: SecretAction;
  readonly lockMs: number;
}

export interface SecretResponse {
  readonly action: SecretAction;
  /** Scores the key, except with `mask_unscored`, and locks it if the message is withheld. */
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

const MAX_BYTES = 16_384;
/** Minimum JSON size of a value: one character and a separator. */
const LEAST_BYTES = 2;
/** Strings are truncated to the first of these lengths at which the result fits. */
const STRING_CHARS = [8_192, 2_048, 512, 128, 32] as const;
const TRUNCATED = '… [truncated]';

/** Returns the result or error in at most 16 KiB of JSON, or undefined. `message` must be free of secrets. */
export function maskedResult(message: unknown): unknown {
  const result = resultIn(message);
  if (fits(result)) return result;
  for (const maxChars of STRING_CHARS) {
    const shorter = withShortTexts(result, maxChars);
    if (fits(shorter)) return shorter;
  }
  return undefined;
}

/** Returns false if a message's result is too long even with empty strings, so that masking it is useless. */
export function mayBeShown(message: unknown): boolean {
  return isObject(message) && mayFit(resultIn(message), () => 0);
}

function resultIn(message: unknown): unknown {
  if (!isObject(message)) return undefined;
  return Object.hasOwn(message, 'result') ? message['result'] : message['error'];
}

function fits(value: unknown): boolean {
  if (value === undefined || !mayFit(value, (text) => text.length)) return false;
  return Buffer.byteLength(JSON.stringify(value)) <= MAX_BYTES;
}

/** Compares a lower bound of a value's JSON size with MAX_BYTES. */
function mayFit(root: unknown, textBytes: (text: string) => number): boolean {
  const walk = new Walk([root], undefined);
  let bytes = 0;
  while (walk.next() !== undefined) {
    const { step, value } = walk;
    bytes += LEAST_BYTES;
    if (typeof step === 'string') bytes += step.length;
    if (typeof value === 'string') bytes += textBytes(value);
    if (bytes > MAX_BYTES) return false;
    walk.enter(undefined);
  }
  return true;
}

function withShortTexts(value: unknown, maxChars: number): unknown {
  if (typeof value === 'string') {
    return value.length <= maxChars ? value : `${value.slice(0, maxChars).toWellFormed()}${TRUNCATED}`;
  }
  if (Array.isArray(value)) return value.map((element) => withShortTexts(element, maxChars));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, below]) => [name, withShortTexts(below, maxChars)]),
  );
}
