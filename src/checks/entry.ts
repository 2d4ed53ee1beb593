import type * as z from 'zod';
import type { CoreConfig } from '../config/core.ts';
import type { Settings } from '../config/fields.ts';
import type { Check } from '../pipeline/check.ts';
import type { FactName } from '../pipeline/facts.ts';
import type { CheckServices } from './services.ts';

/** Sections of gateway.yaml by their names; each is optional in the file. */
export type Sections = Readonly<Record<string, z.ZodType>>;

type Read<Own extends Sections> = { readonly [Name in keyof Own]: Settings<Own[Name]> };

/** Which facts of an exchange a check judges by, and which it learns (pipeline/facts.ts). */
export interface FactUse<Reads extends FactName = FactName, Writes extends FactName = FactName> {
  /** A check that writes it must come before, or be this one. */
  readonly reads?: readonly Reads[];
  readonly writes?: readonly Writes[];
  /** Written anew after another check has written it. */
  readonly refreshes?: readonly Reads[];
}

/** What a check's folder gives to `order.ts`. It is read with the configuration: what judges, `make` imports. */
export interface CheckEntry<
  Name extends string,
  Own extends Sections,
  Reads extends FactName = FactName,
  Writes extends FactName = FactName,
> {
  /** Top-level sections of gateway.yaml that are this check's own. */
  readonly sections: Own;
  readonly facts: FactUse<Reads, Writes>;
  /** Undefined where it has nothing to judge by, and is left out. */
  make(config: CoreConfig & Read<Own>, services: CheckServices): Promise<Check<unknown, Name> | undefined>;
}

type None = Record<never, never>;
type Make<Name extends string, Own extends Sections> = CheckEntry<Name, Own>['make'];

/** A check whose keys, if it has any, stand in a section that others read too. */
export function checkEntry<
  Name extends string,
  Reads extends FactName = never,
  Writes extends FactName = never,
>(make: Make<Name, None>, facts: FactUse<Reads, Writes> = {}): CheckEntry<Name, None, Reads, Writes> {
  return { sections: {}, facts, make };
}

/** A check with sections of its own. */
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
