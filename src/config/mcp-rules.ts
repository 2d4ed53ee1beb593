import { createPatternDetector } from '../detectors/expression.ts';
import { toolRuleNames } from '../detectors/tool-rules.ts';
import { didYouMean } from './nearest-name.ts';
import { problemIf, type RuleProblems } from './rule.ts';
import type { Config } from './schema.ts';
import type { KeyPath } from './yaml-file.ts';
import { messageOf } from '../errors.ts';

export function mcpServers({ mcp }: Config): RuleProblems {
  const names = mcp.servers.map(({ name }) => name);
  return mcp.servers.flatMap(({ name, headers, url, public: known }, index) => {
    const path = ['mcp', 'servers', index];
    const headerNames = Object.keys(headers);
    return [
      problemIf(names.indexOf(name) !== index, [...path, 'name'], 'repeats the name of an earlier server'),
      ...headerProblems([...path, 'headers'], headerNames),
      ...publicProblems([...path, 'public'], known, [...headerNames, ...new URL(url).searchParams.keys()]),
    ];
  });
}

/** Headers that only the gateway or the client may set. */
const RESERVED =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|accept|accept-encoding|last-event-id|mcp-.*|x-gateway-.*|x-envoy-.*|x-forwarded-.*|x-request-id|proxy-.*)$/;

function headerProblems(path: KeyPath, names: readonly string[]): RuleProblems {
  const lower = names.map((name) => name.toLowerCase());
  return names.map((name, index) => {
    const isReserved = RESERVED.test(name.toLowerCase());
    return problemIf(
      isReserved || lower.indexOf(name.toLowerCase()) !== index,
      [...path, name],
      isReserved
        ? 'is a header that only the gateway or the client may set'
        : 'repeats the name of an earlier header',
    );
  });
}

/** Rejects misspelled names, because the public value would still be guarded. */
function publicProblems(
  path: KeyPath,
  known: readonly string[],
  configured: readonly string[],
): RuleProblems {
  const lower = configured.map((name) => name.toLowerCase());
  return known.map(
    (name, index) =>
      !lower.includes(name.toLowerCase()) && {
        path: [...path, index],
        message: `is not a header or parameter of this server${didYouMean(name, configured)}`,
      },
  );
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
    suppress.map(
      (rule, index) =>
        !known.includes(rule) && {
          path: ['mcp', 'servers', server, 'suppress', index],
          message: `is not an inspector rule${didYouMean(rule, known)}`,
        },
    ),
  );
}
