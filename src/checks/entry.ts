import type * as z from 'zod';
import type { CoreConfig } from '../config/core.ts';
import type { Settings } from '../config/fields.ts';
import type { Check } from '../pipeline/check.ts';
import type { CheckServices } from './services.ts';

/** Sections of gateway.yaml by their names; each is optional in the file. */
export type Sections = Readonly<Record<string, z.ZodType>>;

type Read<Own extends Sections> = { readonly [Name in keyof Own]: Settings<Own[Name]> };

/** What a check's folder gives to `order.ts`. It is read with the configuration: what judges, `make` imports. */
export interface CheckEntry<Name extends string, Own extends Sections> {
  /** Top-level sections of gateway.yaml that are this check's own. */
  readonly sections: Own;
  /** Undefined where it has nothing to judge by, and is left out. */
  make(config: CoreConfig & Read<Own>, services: CheckServices): Promise<Check<unknown, Name> | undefined>;
}

type None = Record<never, never>;
type Make<Name extends string, Own extends Sections> = CheckEntry<Name, Own>['make'];

/** A check whose keys, if it has any, stand in a section that others read too. */
export function checkEntry<Name extends string>(make: Make<Name, None>): CheckEntry<Name, None> {
  return { sections: {}, make };
}

/** A check with sections of its own. */
export function configuredCheck<Name extends string, Own extends Sections>(
  sections: Own,
  make: Make<Name, NoInfer<Own>>,
): CheckEntry<Name, Own> {
  return { sections, make };
}
