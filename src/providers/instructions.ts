import type { JsonPath } from '../json/path.ts';
import type { PromptText } from './request-facts.ts';

/** Roles by which an operator or an agent's maker instructs a model. */
export const INSTRUCTION_ROLES = ['system', 'developer'] as const;
export type InstructionRole = (typeof INSTRUCTION_ROLES)[number];

/**
 * Places of instructions in all dialects; `#` is an index. A list of places, not of exceptions: response schemas,
 * documents and members that the gateway does not know have the role `system` too, and are no instructions.
 */
const TEXT = String.raw`(?:/#)?(?:/text)?`;
const MESSAGE = `(?:/content${TEXT}|/message|/#/guardContent/text/text)`;
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

/** No place of instructions is deeper. */
const MAX_STEPS = 8;

/** The role of a text that is an instruction of a system or developer message; undefined for every other text. */
export function instructionRole({ role, kind, path, editable }: PromptText): InstructionRole | undefined {
  if (role !== 'system' && role !== 'developer') return undefined;
  if (kind !== 'text' || editable === false || path.length > MAX_STEPS) return undefined;
  return PLACES.test(placeOf(path)) ? role : undefined;
}

function placeOf(path: JsonPath): string {
  return path.map((step) => (typeof step === 'number' ? '#' : step)).join('/');
}
