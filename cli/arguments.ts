/** Readers of flag values; a wrong one is a UsageError. */
import { DURATION_RULE, parseDuration, type Milliseconds } from '../src/config/duration.ts';
import { PRESET_NAMES, type PresetName } from '../src/policy/presets.ts';
import { INSTRUCTION_ROLES, type InstructionRole } from '../src/providers/instructions.ts';
import { RULE_MODES, type RuleOverrides } from '../src/policy/rule-modes.ts';
import { PROVIDER_NAMES, type ProviderName } from '../src/providers/provider.ts';
import { UsageError } from './command.ts';

/** `a,b,c`. */
function commaList(written: string): string[] {
  const items = written.split(',').map((item) => item.trim());
  if (items.includes('')) throw new UsageError('a comma-separated list has an empty entry');
  return items;
}

/** Stands for an empty list: nothing is allowed. Without the flag, everything is. */
const NOTHING = 'none';

/** `a,b,c`, or `none`. */
export function allowedList(written: string): string[] {
  const items = commaList(written);
  if (!items.includes(NOTHING)) return items;
  if (items.length > 1) throw new UsageError(`${NOTHING} allows nothing: it stands alone in a list`);
  return [];
}

/** `openai,anthropic`, or `none`. */
export function providerList(written: string): ProviderName[] {
  return allowedList(written).map((item) => {
    const known = PROVIDER_NAMES.find((name) => name === item);
    if (known === undefined)
      throw new UsageError(`--allowed-providers: one of ${PROVIDER_NAMES.join(', ')}, or none`);
    return known;
  });
}

/** `system,developer`, or `none`. */
export function roleList(written: string): InstructionRole[] {
  return allowedList(written).map((item) => {
    const known = INSTRUCTION_ROLES.find((role) => role === item);
    if (known === undefined) throw new UsageError(`--trust: any of ${INSTRUCTION_ROLES.join(', ')}, or none`);
    return known;
  });
}

/** `safety,pci`. */
export function presetList(written: string): PresetName[] {
  return commaList(written).map((item) => {
    const known = PRESET_NAMES.find((name) => name === item);
    if (known === undefined) throw new UsageError(`--presets: any of ${PRESET_NAMES.join(', ')}`);
    return known;
  });
}

/** `key=value,key=value`, or `none`. */
export function tagMap(written: string): Record<string, string> {
  return Object.fromEntries(
    allowedList(written).map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1) throw new UsageError('--tags: key=value pairs, comma-separated');
      return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
    }),
  );
}

/** `rule=report,safety/rule=off`, or `none`. */
export function overrideMap(written: string): RuleOverrides {
  return Object.fromEntries(
    allowedList(written).map((pair) => {
      const [name = '', value, ...more] = pair.split('=').map((part) => part.trim());
      const mode = RULE_MODES.find((one) => one === value);
      if (name === '' || mode === undefined || more.length > 0)
        throw new UsageError(
          `--policy-overrides: rule=mode pairs, comma-separated, or none; modes are ${RULE_MODES.join(', ')}`,
        );
      return [name, mode];
    }),
  );
}

/** `30d`, `1h30m`: milliseconds. */
export function durationArgument(written: string): Milliseconds {
  const durationMs = parseDuration(written);
  if (durationMs === undefined) throw new UsageError(DURATION_RULE);
  return durationMs;
}
