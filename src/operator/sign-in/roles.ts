/** Each role may do what the ones before it may. */
export const ROLES = ['viewer', 'approver', 'operator', 'admin'] as const;

export type Role = (typeof ROLES)[number];

/** Roles as a configuration grants them: an `owner` is a viewer of the keys that carry his name as their owner. */
export const GRANTED_ROLES = ['owner', ...ROLES] as const;

export type GrantedRole = (typeof GRANTED_ROLES)[number];

export const SIGN_IN_KINDS = ['password', 'oidc', 'proxy', 'token'] as const;

export type SignInKind = (typeof SIGN_IN_KINDS)[number];

/** Somebody who uses the operator's page or its API, as identified by one sign-in. */
export interface SignedIn {
  /** Unique and stable within its kind: the subject of an ID token, a proxy's user, a token's id. */
  readonly subject: string;
  /** Shown on the page and in the audit trail. */
  readonly name: string;
  readonly role: Role;
  /** Set for an owner: only keys with this owner exist for him. */
  readonly owner?: string | undefined;
  readonly kind: SignInKind;
}

export function hasRole(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(required);
}

/** Reports whether a key exists for this person. */
export function maySee(
  { owner }: Pick<SignedIn, 'owner'>,
  key: { readonly owner?: string | undefined },
): boolean {
  return owner === undefined || key.owner === owner;
}

/** How claims of an ID token become a role. */
export interface RoleRules {
  /** Name of the claim; a path such as `realm_access.roles` names a claim inside another. */
  readonly roleClaim: string;
  readonly roles: Readonly<Record<string, GrantedRole>>;
  readonly ownerClaim?: string | undefined;
}

export type Granted = Pick<SignedIn, 'role' | 'owner'>;

/** Values of a claim that are looked at. */
const MAX_VALUES = 1_000;

/**
 * Returns the highest role that the claim's values grant, or undefined if they grant none. An owner without an owner
 * claim gets no role.
 */
export function grantedBy(
  claims: Readonly<Record<string, unknown>>,
  { roleClaim, roles, ownerClaim }: RoleRules,
): Granted | undefined {
  const values = textsOf(claimAt(claims, roleClaim));
  const granted = values.flatMap((value) => (Object.hasOwn(roles, value) ? (roles[value] ?? []) : []));
  const owner = ownerClaim === undefined ? undefined : claimAt(claims, ownerClaim);
  return grantedOf(granted, typeof owner === 'string' && owner !== '' ? owner : undefined);
}

/** Returns the highest of these roles; `owner` only counts where nothing higher does. */
export function grantedOf(granted: readonly GrantedRole[], owner: string | undefined): Granted | undefined {
  const role = ROLES.findLast((one) => granted.includes(one));
  if (role !== undefined) return { role };
  return granted.includes('owner') && owner !== undefined ? { role: 'viewer', owner } : undefined;
}

/** Prefers a claim of exactly this name, since names may be URLs with dots. */
function claimAt(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[part];
  }
  return at;
}

function textsOf(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim.slice(0, MAX_VALUES) : [claim];
  return values.filter((value) => typeof value === 'string');
}
