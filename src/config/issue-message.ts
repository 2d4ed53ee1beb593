import type * as z from 'zod';

type Issue = z.core.$ZodIssue;

/** Describes the violated rule. Omits the value, which may be a secret. */
export function issueMessage(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return sizeMessage(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return sizeMessage(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'invalid_key':
      return 'is not a valid name here';
    case 'invalid_format':
    case 'invalid_union':
    case 'custom':
    case 'not_multiple_of':
    case 'invalid_element':
    case 'unrecognized_keys':
      return issue.message;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a map of names to values',
};

function sizeMessage(origin: string, relation: string, bound: number | bigint): string {
  const what = { string: 'characters', array: 'entries' }[origin];
  if (what !== undefined) {
    const isFilled = relation === 'at least' && Number(bound) === 1;
    return isFilled ? 'must not be empty' : `must have ${relation} ${String(bound)} ${what}`;
  }
  return `must be ${relation} ${String(bound)}`;
}
