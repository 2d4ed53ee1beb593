import { describe, expect, it } from 'vitest';
import { grantedBy, hasRole, maySee } from '../../../src/operator/sign-in/roles.ts';

const rules = {
  roleClaim: 'groups',
  roles: { leads: 'owner', watchers: 'viewer', responders: 'approver', admins: 'admin' },
  ownerClaim: 'team',
} as const;

describe('a role', () => {
  it('includes the rights of lower roles', () => {
    expect(hasRole('admin', 'viewer')).toBe(true);
    expect(hasRole('approver', 'approver')).toBe(true);
    expect(hasRole('approver', 'operator')).toBe(false);
    expect(hasRole('viewer', 'approver')).toBe(false);
  });

  it.each([
    ['the highest of several', { groups: ['watchers', 'admins', 'responders'] }, { role: 'admin' }],
    ['the role of a single value', { groups: 'watchers' }, { role: 'viewer' }],
    ['an owner', { groups: ['leads'], team: 'search' }, { role: 'viewer', owner: 'search' }],
    [
      'no owner for a user with a higher role',
      { groups: ['leads', 'responders'], team: 'search' },
      { role: 'approver' },
    ],
    ['no role for an owner without a name', { groups: ['leads'] }, undefined],
    ['no role for an owner with several names', { groups: ['leads'], team: ['a', 'b'] }, undefined],
    ['no role for an owner with an empty name', { groups: ['leads'], team: '' }, undefined],
    ['no role for unknown values', { groups: ['others', 1, null, { admins: 1 }] }, undefined],
    ['no role for names of object members', { groups: ['constructor', '__proto__', 'toString'] }, undefined],
    ['no role without the claim', { roles: ['admins'] }, undefined],
    ['no role for an object as the claim', { groups: { 0: 'admins' } }, undefined],
  ])('is granted by a claim: %s', (_what, claims, granted) => {
    expect(grantedBy(claims, rules)).toEqual(granted);
  });

  it('is granted by a claim inside another, and by a claim whose name has dots', () => {
    const nested = { ...rules, roleClaim: 'realm_access.roles' };
    expect(grantedBy({ realm_access: { roles: ['admins'] } }, nested)).toEqual({ role: 'admin' });
    const url = { ...rules, roleClaim: 'https://example.com/roles' };
    expect(grantedBy({ 'https://example.com/roles': ['admins'] }, url)).toEqual({ role: 'admin' });
    expect(grantedBy({ realm_access: 'roles' }, nested)).toBeUndefined();
    expect(grantedBy({}, { ...rules, roleClaim: '__proto__.constructor.name' })).toBeUndefined();
  });
});

it('restricts owners to their own keys', () => {
  expect(maySee({ owner: 'search' }, { owner: 'search' })).toBe(true);
  expect(maySee({ owner: 'search' }, { owner: 'ads' })).toBe(false);
  expect(maySee({ owner: 'search' }, {})).toBe(false);
  expect(maySee({}, { owner: 'ads' })).toBe(true);
});
