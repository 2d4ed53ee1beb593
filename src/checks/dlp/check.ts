import { rememberClean } from '../../clean-texts.ts';
import type { FindAll, SearchedText } from '../../detectors/finding.ts';
import { noteNothing } from '../../detectors/found-nothing.ts';
import { PASS, type Check, type Verdict } from '../../pipeline/check.ts';
import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import { classesOf, rulesOf, requestDenied, requestNotMaskable } from './actions.ts';
import type { DlpCheckDeps } from './deps.ts';
import { createAnswerJudge } from './judge-answer.ts';
import { inspectRequest, type InspectedRequest } from '../../inspect/request.ts';
import type { ClassSearch } from './scope.ts';
import { refusedFor } from '../../inspect/inspected.ts';
import { after, type Awaitable } from '../../turns.ts';

/**
 * Data-loss prevention (docs/dlp.md). Masks personal data, private network addresses and secrets in answers, or
 * withholds the answer and locks the key. `server.dlp.requests` masks them in requests, or denies the request. The MCP
 * inspector handles MCP answers.
 */
export function createDlpCheck(deps: DlpCheckDeps): Check<unknown, 'dlp'> {
  const { config, requestSearch } = deps;
  const findAll = rememberedSearch(deps);
  const findInRequests = requestSearch === undefined ? findAll : rememberedSearch(requestSearch);
  const answers = createAnswerJudge({ ...deps, findAll });
  return {
    name: 'dlp',
    shadowable: true,
    ...(config.requests !== 'off' && { requestBody: requestJudge({ ...deps, findAll: findInRequests }) }),
    ...(config.enabled && {
      response: (exchange: Answered) => (isJudged(exchange) ? answers.whole(exchange) : PASS),
      stream: (exchange: Answered) => (isJudged(exchange) ? answers.rewriter(exchange) : undefined),
    }),
  };
}

function isJudged({ origin, mcp }: Answered): boolean {
  return origin === 'provider' && mcp === undefined;
}

/**
 * Returns a search that remembers clean texts, because member names recur in every body, and answers recur in the next
 * request.
 */
function rememberedSearch({ findAll, detectors }: Omit<ClassSearch, 'detector'>): FindAll {
  return rememberClean<SearchedText>({
    read: findAll,
    isClean: ({ findings, isWhole }) => isWhole && findings.length === 0,
    clean: () => ({ findings: [], isWhole: true }),
    onClean(text, known) {
      for (const detector of detectors) noteNothing(text, known, detector);
    },
  });
}

function requestJudge({
  config,
  findAll,
  onFound,
  onEvidence,
}: DlpCheckDeps): (exchange: Parsed) => Awaitable<Verdict> {
  const mayReport = config.request_unmaskable === 'report';
  function judge(exchange: Parsed, inspected: InspectedRequest): Awaitable<Verdict> {
    const { found, unmaskable } = inspected;
    if (found.length === 0) {
      exchange.facts.searched = inspected.searched;
      return PASS;
    }
    onEvidence?.(exchange, { side: 'request', found });
    const classes = classesOf(found.map(({ finding }) => finding));
    const { mcp } = exchange.request;
    const refused = mayReport && mcp === undefined ? inspected.unmaskableOutside : unmaskable;
    const isDenied = config.requests === 'deny' || refused.length > 0;
    const left = new Set<string>(classesOf(unmaskable));
    for (const name of classes) {
      const action = isDenied ? 'deny' : left.has(name) ? 'report' : 'mask';
      onFound({ class: name, side: 'request', action });
    }
    if (config.requests === 'deny') return { ...requestDenied(classes, mcp), findings: refusedFor(found) };
    if (refused.length > 0) {
      const fixed = new Set(refused);
      const fixedFindings = found.filter(({ finding }) => fixed.has(finding));
      return { ...requestNotMaskable(classesOf(refused), mcp), findings: refusedFor(fixedFindings) };
    }
    return maskedRequest(inspected);
  }
  return (exchange) => after(inspectRequest(exchange, findAll), (inspected) => judge(exchange, inspected));
}

async function maskedRequest({ found, unmaskable, isMaskable, mask }: InspectedRequest): Promise<Verdict> {
  const left = [...new Set(unmaskable.map((finding) => `${finding.class} (${finding.rule})`))].join(', ');
  if (!isMaskable)
    return { kind: 'flag', reason: `left in the request, because it cannot be masked: ${left}` };
  const beside = left === '' ? '' : `; left, because it cannot be masked: ${left}`;
  const reason = `masked in the request: ${rulesOf(found)}${beside}`;
  return { kind: 'rewrite', reason, apply: await mask() };
}
