import type { JsonPath } from '../json/path.ts';
import type { PromptText } from './request-facts.ts';

/** Roles in which an operator or agent developer instructs a model. */
export const INSTRUCTION_ROLES = ['system', 'developer'] as const;
export type InstructionRole = (typeof INSTRUCTION_ROLES)[number];

const TEXT = String.raw`(?:/#)?(?:/text)?`;
const MESSAGE = `(?:/content${TEXT}|/message)`;

/**
 * Matches paths of instructions in all dialects, with `#` for an index. This is an allowlist, because response schemas,
 * documents and unknown members may also have the role `system` but are not instructions.
 */
const PLACES = new RegExp(
  [
    '^(?:input/converse/|generateContentRequest/|generate_content_request/)?',
    '(?:',
    [
      `system(?:${TEXT}|/#/guardContent/text/text)`,
      'preamble',
      `instructions(?:/#/content)?${TEXT}`,
      `system(?:Instruction|_instruction)(?:/parts)?${TEXT}`,
      `(?:messages|input|chat_history)/#${MESSAGE}`,
    ].join('|'),
    ')$',
  ].join(''),
);

/** Upper bound of the number of steps in an instruction path. */
const MAX_STEPS = 8;

/** Returns the role of a system or developer instruction, or undefined for any other text. */
export function instructionRole({ role, kind, path, editable }: PromptText): InstructionRole | undefined {
  if (role !== 'system' && role !== 'developer') return undefined;
  if (kind !== 'text' || editable === false || path.length > MAX_STEPS) return undefined;
  return PLACES.test(placeOf(path)) ? role : undefined;
}

function placeOf(path: JsonPath): string {
  return path.map((step) => (typeof step === 'number' ? '#' : step)).join('/');
}
