import { rememberClean } from '../../clean-texts.ts';
import type { Config } from '../../config/schema.ts';
import type { ContentClass, Finding, StreamDetector } from '../../detectors/finding.ts';
import { HEADER } from '../../headers.ts';
import { PASS } from '../../pipeline/check.ts';
import type { Check, Verdict } from '../../pipeline/check.ts';
import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import { findingId } from '../../pipeline/finding-id.ts';
import type { ReportSecretLeak } from '../../pipeline/secret-leak.ts';
import { actionFor, classesOf, named } from './actions.ts';
import type { DlpAction } from './actions.ts';
import type { Inspected } from './inspected.ts';
import type { FindAll, Found } from './passages.ts';
import { quarantined, requestDenied, requestNotMaskable } from './refusals.ts';
import { inspectRequest } from './requests.ts';
import { inspectAnswer } from './whole-answer.ts';

export interface DlpCheckDeps {
  /** `server.dlp`. */
  readonly config: Config['server']['dlp'];
  /** Finds what `config` switches on. */
  readonly detector: StreamDetector;
  /** The same for whole texts, however long. */
  readonly findAll: FindAll;
  readonly reportSecretLeak: ReportSecretLeak;
  /** `server.strip_budget_headers`: a stream tells by no comment what was masked in it. */
  readonly stripComments: boolean;
  /** Called once per class and body, in shadow mode too. */
  readonly onFound: (found: FoundClass) => void;
}

/** For a metric: closed sets only. */
export interface FoundClass {
  readonly class: ContentClass;
  readonly side: 'request' | 'answer';
  readonly action: DlpAction | 'deny';
}

/**
 * Data-loss prevention (SPEC "DLP"): personal data, addresses of private networks and secrets are masked in answers,
 * or the answer is withheld and the key locked; `server.dlp.requests` masks or denies the same in requests.
 */
export function createDlpCheck(deps: DlpCheckDeps): Check {
  const { config } = deps;
  const findNew = rememberClean<readonly Finding[]>({
    read: deps.findAll,
    isClean: (findings) => findings.length === 0,
    clean: () => [],
  });
  return {
    name: 'dlp',
    shadowable: true,
    ...(config.requests !== 'off' && {
      requestBody: (exchange: Parsed) => judgeRequest(exchange, { ...deps, findAll: findNew }),
    }),
    ...(config.enabled && { response: (exchange: Answered) => judgeAnswer(exchange, deps) }),
  };
}

async function judgeAnswer(exchange: Answered, deps: DlpCheckDeps): Promise<Verdict> {
  const { whole } = exchange.answer;
  // Answers of MCP servers are the inspector's.
  if (whole === undefined || exchange.origin !== 'provider' || exchange.mcp !== undefined) return PASS;
  const inspected = await inspectAnswer(whole, exchange.answer.facts, deps.findAll);
  return 'kind' in inspected ? inspected : verdictOf(exchange, inspected, deps);
}

function verdictOf(exchange: Answered, { found, mask }: Inspected, deps: DlpCheckDeps): Verdict {
  const { config } = deps;
  if (found.length === 0) return PASS;
  const classes = classesOf(found.map(({ finding }) => finding));
  for (const one of classes) {
    deps.onFound({ class: one, side: 'answer', action: actionFor(one, config.action) });
  }
  const withheld = classes.filter((one) => actionFor(one, config.action) === 'quarantine');
  if (withheld.length > 0) {
    const findings = idsOf(found, withheld);
    const lockMs = config.quarantine_duration;
    return quarantined(withheld, () => deps.reportSecretLeak({ exchange, findings, lockMs }));
  }
  return {
    kind: 'rewrite',
    reason: `masked in the answer: ${named(classes)}`,
    apply() {
      mask();
      exchange.responseHeaders.set(HEADER.dlpRedacted, 'true');
    },
  };
}

/** As many as one event of the risk store takes. */
const MAX_IDS = 64;

function idsOf(found: readonly Found[], classes: readonly ContentClass[]): string[] {
  const ids = new Set<string>();
  for (const { finding, text } of found) {
    if (ids.size === MAX_IDS) break;
    if (classes.some((one) => one === finding.class)) ids.add(findingId(finding.rule, text));
  }
  return [...ids];
}

async function judgeRequest(exchange: Parsed, deps: DlpCheckDeps): Promise<Verdict> {
  const { found, unmaskable, mask } = await inspectRequest(exchange, deps.findAll);
  if (found.length === 0) return PASS;
  const classes = classesOf(found.map(({ finding }) => finding));
  const isDenied = deps.config.requests === 'deny' || unmaskable.length > 0;
  for (const one of classes) {
    deps.onFound({ class: one, side: 'request', action: isDenied ? 'deny' : 'mask' });
  }
  const { mcp } = exchange.request;
  if (deps.config.requests === 'deny') return requestDenied(classes, mcp);
  if (unmaskable.length > 0) return requestNotMaskable(classesOf(unmaskable), mcp);
  return { kind: 'rewrite', reason: `masked in the request: ${named(classes)}`, apply: mask };
}
