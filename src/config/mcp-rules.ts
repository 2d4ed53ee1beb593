/** Cross-field rules of the section `mcp`. */
import { createPatternDetector } from '../detectors/expression.ts';
import { toolRuleNames } from '../detectors/tool-rules.ts';
import { nearestName } from './nearest-name.ts';
import type { RuleProblem, RuleProblems } from './rule.ts';
import type { Config } from './schema.ts';
import { messageOf } from '../errors.ts';

export function mcpServers({ mcp }: Config): RuleProblems {
  const names = mcp.servers.map(({ name }) => name);
  return mcp.servers.flatMap(({ name, headers, url, public: known }, index) => [
    names.indexOf(name) !== index && {
      path: ['mcp', 'servers', index, 'name'],
      message: 'repeats the name of an earlier server',
    },
    ...headerNameProblems(Object.keys(headers)).map(({ path, message }) => ({
      path: ['mcp', 'servers', index, 'headers', ...path],
      message,
    })),
    ...publicProblems(known, [...Object.keys(headers), ...new URL(url).searchParams.keys()]).map(
      (problem) => ({
        ...problem,
        path: ['mcp', 'servers', index, 'public', ...problem.path],
      }),
    ),
  ]);
}

/** Headers of transport and content, which the configuration of a server must not set. */
const RESERVED =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|accept|accept-encoding|last-event-id|mcp-.*|x-gateway-.*|x-envoy-.*|x-forwarded-.*|x-request-id|proxy-.*)$/;

function headerNameProblems(names: readonly string[]): RuleProblem[] {
  const lower = names.map((name) => name.toLowerCase());
  return names.flatMap((name, index) => {
    if (RESERVED.test(name.toLowerCase())) {
      return [{ path: [name], message: 'is a header that only the gateway or the client may set' }];
    }
    const isRepeated = lower.indexOf(name.toLowerCase()) !== index;
    return isRepeated ? [{ path: [name], message: 'repeats the name of an earlier header' }] : [];
  });
}

/** Rejects misspelled names: the public value would still be guarded. */
function publicProblems(known: readonly string[], configured: readonly string[]): RuleProblem[] {
  const lower = configured.map((name) => name.toLowerCase());
  return known.flatMap((name, index) => {
    if (lower.includes(name.toLowerCase())) return [];
    const nearest = nearestName(name, configured);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    return [{ path: [index], message: `is not a header or parameter of this server${hint}` }];
  });
}

export function injectionPatterns({ mcp }: Config): RuleProblems {
  return mcp.inspector.custom_injection_patterns.map((pattern, index) => {
    const reason = patternProblem(pattern);
    return (
      reason !== undefined && {
        path: ['mcp', 'inspector', 'custom_injection_patterns', index],
        message: reason,
      }
    );
  });
}

function patternProblem(pattern: string): string | undefined {
  try {
    createPatternDetector(pattern, '');
    return undefined;
  } catch (failure) {
    const reason = messageOf(failure);
    // RE2 appends the pattern to its message.
    const complaint = /^error parsing regexp: ([^`]*?):? ?(?:`|$)/.exec(reason)?.[1];
    return complaint === undefined ? reason : `cannot be matched by RE2 (${complaint})`;
  }
}

/** Rejects unknown rules. A misspelled rule would keep firing, and a removed rule would only appear to be off. */
export function suppressedRules({ mcp }: Config): RuleProblems {
  if (mcp.servers.every(({ suppress }) => suppress.length === 0)) return [];
  const known = toolRuleNames(mcp.inspector.custom_injection_patterns.length);
  return mcp.servers.flatMap(({ suppress }, server) =>
    suppress.map((rule, index) => {
      if (known.includes(rule)) return false;
      const nearest = nearestName(rule, known);
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      return {
        path: ['mcp', 'servers', server, 'suppress', index],
        message: `is not a rule of the inspector${hint}`,
      };
    }),
  );
}
