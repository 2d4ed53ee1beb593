import type { TraceFinding } from '../finding.ts';
import type { Summary, Unreadable } from '../summary.ts';
import { findingJson, summaryJson } from './json.ts';
import { calledName, Listed, JsonList, type Report } from './report.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const TOOL = 'gateway verify';
const MAX_RULES = 10_000;
const NOTE_ACTIONS: ReadonlySet<string> = new Set(['mask']);

/**
 * Creates a SARIF 2.1.0 report for code hosts: violations and masks at their trace lines, with the policy rule.
 * @param trace path of the trace, as shown
 */
export function createSarifReport(write: (value: unknown) => string, trace: string): Report {
  const rules = new Map<string, TraceFinding>();
  const unread = new Listed<unknown>();
  const uri = trace.split(/[\\/]/).map(encodeURIComponent).join('/');
  const results = new JsonList();

  function location(line: number): unknown {
    return { physicalLocation: { artifactLocation: { uri }, region: { startLine: Math.max(line, 1) } } };
  }

  function result(finding: TraceFinding): unknown {
    const { index, traceLine, file, line, action, reason } = finding;
    const rule = ruleId(finding);
    const related = {
      id: 1,
      message: { text: 'the policy rule' },
      physicalLocation: {
        artifactLocation: { uri: encodeURI(file ?? '') },
        ...(line !== undefined && { region: { startLine: Math.max(line, 1) } }),
      },
    };
    return {
      ruleId: rule,
      level: NOTE_ACTIONS.has(action) ? 'note' : 'error',
      message: { text: `${action}: ${reason} (step ${String(index)}, ${calledName(finding)})` },
      locations: [location(traceLine)],
      ...(file !== undefined && { relatedLocations: [related] }),
      properties: findingJson(finding),
    };
  }

  return {
    begin: () => `{\n"$schema": ${write(SCHEMA)},\n"version": "2.1.0",\n"runs": [{\n"results": [`,
    finding(finding) {
      if (finding.action === 'flag') return '';
      if (rules.size < MAX_RULES && !rules.has(ruleId(finding))) rules.set(ruleId(finding), finding);
      return results.add(write(result(finding)));
    },
    unreadable(unreadable) {
      unread.add(notification(unreadable));
      return '';
    },
    end(summary) {
      const tool = { driver: { name: TOOL, rules: [...rules].map(descriptor) } };
      return [
        results.end(),
        `,\n"tool": ${write(tool)}`,
        `,\n"invocations": ${write([invocation(summary)])}`,
        `,\n"properties": ${write(summaryJson(summary))}\n}]\n}\n`,
      ].join('');
    },
  };

  function notification({ index, line, problem }: Unreadable): unknown {
    return {
      level: 'error',
      message: { text: `element ${String(index)} ${problem}` },
      locations: [location(line)],
    };
  }

  function invocation({ unreadable }: Summary): unknown {
    return { executionSuccessful: unreadable === 0, toolExecutionNotifications: unread.items };
  }
}

/** Includes the check, because several checks may use the same rule name. */
function ruleId({ check, rule }: TraceFinding): string {
  return check === rule ? rule : `${check}/${rule}`;
}

function descriptor([id, { check, rule }]: readonly [string, TraceFinding]): unknown {
  return { id, name: rule, shortDescription: { text: `${rule} (${check})` } };
}
