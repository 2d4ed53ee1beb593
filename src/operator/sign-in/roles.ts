import { valueAt } from '../../json/path.ts';

/** Each role includes all earlier roles. */
export const ROLES = ['viewer', 'approver', 'operator', 'admin'] as const;

export type Role = (typeof ROLES)[number];

/** Roles that a configuration can grant. An `owner` is a viewer limited to the keys of one owner. */
export const GRANTED_ROLES = ['owner', ...ROLES] as const;

export type GrantedRole = (typeof GRANTED_ROLES)[number];

export const SIGN_IN_KINDS = ['password', 'oidc', 'proxy', 'token'] as const;

export type SignInKind = (typeof SIGN_IN_KINDS)[number];

export interface SignedIn {
  /** Unique and stable within its kind: subject of an ID token, user of a proxy, or token id. */
  readonly subject: string;
  /** Shown on the page and in the audit trail. */
  readonly name: string;
  readonly role: Role;
  /** If set, the person sees only keys with this owner. */
  readonly owner?: string | undefined;
  readonly kind: SignInKind;
}

export function hasRole(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(required);
}

export function maySee(
  { owner }: Pick<SignedIn, 'owner'>,
  key: { readonly owner?: string | undefined },
): boolean {
  return owner === undefined || key.owner === owner;
}

/** Removes arguments and prompts from a pending request unless the role may approve it. */
export function forRole<T extends { readonly arguments: string; readonly prompt_text: string }>(
  escalation: T,
  role: Role,
): T {
  return hasRole(role, 'approver') ? escalation : { ...escalation, arguments: '', prompt_text: '' };
}

/** Maps claims of an ID token to a role. */
export interface RoleRules {
  /** Claim name; a path such as `realm_access.roles` names a nested claim. */
  readonly roleClaim: string;
  readonly roles: Readonly<Record<string, GrantedRole>>;
  readonly ownerClaim?: string | undefined;
}

export type Granted = Pick<SignedIn, 'role' | 'owner'>;

/** Maximum number of values read per claim. */
const MAX_VALUES = 1_000;

/** Returns the highest granted role, if any. The role `owner` also requires the owner claim. */
export function grantedBy(
  claims: Readonly<Record<string, unknown>>,
  { roleClaim, roles, ownerClaim }: RoleRules,
): Granted | undefined {
  const values = textsOf(claimAt(claims, roleClaim));
  const granted = values.flatMap((value) => (Object.hasOwn(roles, value) ? (roles[value] ?? []) : []));
  const owner = ownerClaim === undefined ? undefined : claimAt(claims, ownerClaim);
  return grantedOf(granted, typeof owner === 'string' && owner !== '' ? owner : undefined);
}

/** Returns the highest role; `owner` is the lowest. */
export function grantedOf(granted: readonly GrantedRole[], owner: string | undefined): Granted | undefined {
  const role = ROLES.findLast((candidate) => granted.includes(candidate));
  if (role !== undefined) return { role };
  return granted.includes('owner') && owner !== undefined ? { role: 'viewer', owner } : undefined;
}

/** Prefers a claim with exactly this name, because names may be URLs with dots. */
function claimAt(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return valueAt(claims, name.split('.'));
}

function textsOf(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim.slice(0, MAX_VALUES) : [claim];
  return values.filter((value) => typeof value === 'string');
}
