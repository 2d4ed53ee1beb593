/** Parsers for flag values. Each throws UsageError for an invalid value. */
import { parseDuration, type Milliseconds } from '../src/config/duration.ts';
import { PRESET_NAMES, type PresetName } from '../src/policy/presets.ts';
import { RULE_MODES, type RuleOverrides } from '../src/policy/rule-modes.ts';
import { INSTRUCTION_ROLES, type InstructionRole } from '../src/providers/instructions.ts';
import { PROVIDER_NAMES, type ProviderName } from '../src/providers/registry.ts';
import { UsageError } from './command.ts';
import { printable } from './output.ts';

/** Parses `a,b,c`. */
function commaList(flag: string, text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.includes(''))
    throw new UsageError(
      `${flag}: "${printable(text)}" has an empty entry. Write a,b,c, or leave the flag out`,
    );
  return items;
}

/** Denotes an empty list. An omitted flag selects the default instead. */
const NOTHING = 'none';

/** Parses `a,b,c`, or `none`. */
export function allowedList(flag: string): (text: string) => string[] {
  return (text) => listOrNone(flag, text);
}

function listOrNone(flag: string, text: string): string[] {
  const items = commaList(flag, text);
  if (!items.includes(NOTHING)) return items;
  if (items.length > 1)
    throw new UsageError(
      `${flag}: ${NOTHING} cannot be combined with other entries. Remove it, or write only ${NOTHING}`,
    );
  return [];
}

/** Parses `openai,anthropic`, or `none`. */
export function providerList(text: string): ProviderName[] {
  return listOrNone('--allowed-providers', text).map((item) => {
    const known = PROVIDER_NAMES.find((name) => name === item);
    if (known === undefined)
      throw new UsageError(
        `--allowed-providers: "${printable(item)}" is not a provider. Choose from ${PROVIDER_NAMES.join(', ')}, or none`,
      );
    return known;
  });
}

/** Parses `system,developer`, or `none`. */
export function roleList(text: string): InstructionRole[] {
  return listOrNone('--trust', text).map((item) => {
    const known = INSTRUCTION_ROLES.find((role) => role === item);
    if (known === undefined)
      throw new UsageError(
        `--trust: "${printable(item)}" is not a role that can be trusted. Choose from ${INSTRUCTION_ROLES.join(', ')}, or none`,
      );
    return known;
  });
}

/** Parses `safety,pci`. */
export function presetList(text: string): PresetName[] {
  return commaList('--presets', text).map((item) => {
    const known = PRESET_NAMES.find((name) => name === item);
    if (known === undefined)
      throw new UsageError(
        `--presets: "${printable(item)}" is not a preset. Choose from ${PRESET_NAMES.join(', ')}`,
      );
    return known;
  });
}

/** Parses `key=value,key=value`, or `none`. */
export function tagMap(text: string): Record<string, string> {
  return Object.fromEntries(
    listOrNone('--tags', text).map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1)
        throw new UsageError('--tags: write key=value pairs, comma-separated, such as team=search,env=prod');
      return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
    }),
  );
}

/** Parses `rule=report,safety/rule=off`, or `none`. */
export function overrideMap(text: string): RuleOverrides {
  return Object.fromEntries(
    listOrNone('--policy-overrides', text).map((pair) => {
      const [name = '', value, ...more] = pair.split('=').map((part) => part.trim());
      const mode = RULE_MODES.find((candidate) => candidate === value);
      if (name === '' || mode === undefined || more.length > 0)
        throw new UsageError(
          `--policy-overrides: write rule=mode pairs, comma-separated, such as block-cvv=report, or none; modes are ${RULE_MODES.join(', ')}`,
        );
      return [name, mode];
    }),
  );
}

/** Returns a parser for durations such as `30d` or `1h30m`. Errors name the flag. */
export function durationOf(flag: string): (text: string) => Milliseconds {
  return (text) => {
    const durationMs = parseDuration(text);
    if (durationMs !== undefined) return durationMs;
    throw new UsageError(`${flag}: "${printable(text)}" ${NOT_A_DURATION}, for example: ${flag} 1h`);
  };
}

const NOT_A_DURATION = 'is not a duration. Write a number and a unit (ms, s, m, h, d)';
