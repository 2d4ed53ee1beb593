import type * as z from 'zod';
import type { CoreConfig } from '../config/core.ts';
import type { Settings } from '../config/fields.ts';
import type { Check } from '../pipeline/check.ts';
import type { FactName } from '../pipeline/facts.ts';
import type { CheckServices } from './services.ts';

/** Sections of gateway.yaml by name; all are optional in the file. */
export type Sections = Readonly<Record<string, z.ZodType>>;

type Read<Own extends Sections> = { readonly [Name in keyof Own]: Settings<Own[Name]> };

/** Exchange facts that a check reads and writes (pipeline/facts.ts). */
export interface FactUse<Reads extends FactName = FactName, Writes extends FactName = FactName> {
  /** Facts that this check or an earlier one must write. */
  readonly reads?: readonly Reads[];
  readonly writes?: readonly Writes[];
  /** Facts that this check rewrites after another check has written them. */
  readonly refreshes?: readonly Reads[];
}

/** A check's entry in `order.ts`, loaded with the configuration. `make` imports the check itself. */
export interface CheckEntry<
  Name extends string,
  Own extends Sections,
  Reads extends FactName = FactName,
  Writes extends FactName = FactName,
> {
  readonly sections: Own;
  readonly facts: FactUse<Reads, Writes>;
  make(config: CoreConfig & Read<Own>, services: CheckServices): Promise<Check<unknown, Name> | undefined>;
}

type None = Record<never, never>;
type Make<Name extends string, Own extends Sections> = CheckEntry<Name, Own>['make'];

export function checkEntry<
  Name extends string,
  Reads extends FactName = never,
  Writes extends FactName = never,
>(make: Make<Name, None>, facts: FactUse<Reads, Writes> = {}): CheckEntry<Name, None, Reads, Writes> {
  return { sections: {}, facts, make };
}

export function configuredCheck<
  Name extends string,
  Own extends Sections,
  Reads extends FactName = never,
  Writes extends FactName = never,
>(
  sections: Own,
  make: Make<Name, NoInfer<Own>>,
  facts: FactUse<Reads, Writes> = {},
): CheckEntry<Name, Own, Reads, Writes> {
  return { sections, facts, make };
}
