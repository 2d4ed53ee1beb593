import type { McpConfig } from '../../config/sections/mcp.ts';
import { isEventStream } from '../../mcp/answer-shape.ts';
import { calledTool } from '../../mcp/message.ts';
import { isParsed, PASS, type Check, type Denial } from '../../pipeline/check.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import { handled } from '../../pipeline/read-ahead.ts';
import type { ReportSecretLeak } from '../report-secret-leak.ts';
import { calledByName, toolDenied } from '../denials.ts';
import type { Audit } from '../../telemetry/audit.ts';
import { uninspectable } from '../../inspect/message/whole-message.ts';
import { createDecide, createInspect, inspectNothing } from './decide.ts';
import { createSecretResponse } from './secret-response.ts';
import type { PinStore } from './store.ts';
import { createRecordJudgement } from './audit-events.ts';
import { createCredentialsOf, isTrusted, NO_CREDENTIALS, type CredentialsOf } from './server-credentials.ts';
import type { KeepDefinitions } from './keep-definitions.ts';
import { isReadableName } from './tool-list.ts';
import { createRewriter, judgeWhole, type AnswerDeps } from './respond.ts';

export interface McpInspectorDeps {
  readonly config: McpConfig;
  /** For the audit; the runner applies shadow mode. */
  readonly shadowMode: boolean;
  readonly pins: PinStore;
  readonly keepDefinitions?: KeepDefinitions | undefined;
  readonly audit: Audit;
  readonly reportSecretLeak: ReportSecretLeak;
}

export interface InspectorState {
  isChanged?: Promise<boolean>;
}

/**
 * Inspects MCP server messages (docs/mcp-inspector.md, docs/mcp.md). Removes attacks. By default, withholds an answer
 * with secrets and locks its key. A tool whose definition has changed since it was first seen is reported, or blocked
 * until an operator accepts the change. If `inspector.enabled` is false, checks only pins and the form of answers.
 */
export function createMcpInspectorCheck(deps: McpInspectorDeps): Check<InspectorState, 'mcp-inspector'> {
  const { config, pins, keepDefinitions, audit, shadowMode, reportSecretLeak } = deps;
  const name = 'mcp-inspector';
  if (!config.enabled) return { name, shadowable: true };
  const isInspecting = config.inspector.enabled;
  const credentialsOf = createCredentialsOf(config.servers);
  const mayShow = new Set(config.servers.flatMap((server) => (isTrusted(server) ? [server.name] : [])));
  const guardedOf: CredentialsOf = (server) =>
    isInspecting && !mayShow.has(server) ? credentialsOf(server) : NO_CREDENTIALS;
  const answerDeps: AnswerDeps = {
    decide: createDecide({
      config,
      pins,
      keepDefinitions,
      inspect: isInspecting ? createInspect({ config, credentialsOf }) : inspectNothing,
    }),
    secretResponse: createSecretResponse({
      reportSecretLeak,
      action: config.inspector.secrets,
      lockMs: config.inspector.quarantine_duration,
    }),
    guardedOf,
    record: createRecordJudgement({ audit, enforced: !shadowMode, secrets: config.inspector.secrets }),
  };
  const blocking = new Set(config.servers.flatMap((server) => (server.pin === 'block' ? [server.name] : [])));

  /** Reports whether headers show credentials. If so, the answer is refused, because removing a header may break it. */
  function showsCredential({ mcp, answerHeaders }: Answered): boolean {
    return guardedOf(mcp?.server ?? '').isIn(linesOf(answerHeaders));
  }

  return {
    name,
    shadowable: true,
    begin: () => ({}),
    prepare(parsed, state) {
      if (!isParsed(parsed)) return;
      const { mcp, request } = parsed;
      const tool = calledTool(request.mcp);
      if (mcp === undefined || tool === undefined || !blocking.has(mcp.server)) return;
      state.isChanged = handled(pins.isChanged(mcp.server, tool));
    },
    async requestBody({ request }, { isChanged }) {
      if (isChanged === undefined) return PASS;
      const tool = calledTool(request.mcp) ?? '';
      if (!isReadableName(tool))
        return held(tool, 'a tool name must have at most 128 printable characters and no surrounding spaces');
      if (!(await isChanged)) return PASS;
      return held(
        tool,
        'its definition has changed since it was first seen: an operator must accept the change (gateway mcp pins accept)',
      );
    },
    response(exchange) {
      if (exchange.mcp === undefined) return PASS;
      if (showsCredential(exchange)) return uninspectable("its headers repeat the gateway's credentials");
      if (exchange.form === 'whole') return judgeWhole(exchange, answerDeps);
      return isEventStream(exchange.answerHeaders.get('content-type'))
        ? PASS
        : uninspectable('it is a stream, but not text/event-stream, the only stream type in MCP');
    },
    stream: (exchange) => (exchange.mcp === undefined ? undefined : createRewriter(exchange, answerDeps)),
  };
}

function linesOf(headers: ReadonlyMap<string, string>): string {
  let lines = '';
  for (const [name, value] of headers) lines += `${name}: ${value}\n`;
  return lines;
}

function held(tool: string, reason: string): Denial {
  return toolDenied({ tool, reason, rule: 'tool_pin', found: calledByName('mcp-inspector') });
}
