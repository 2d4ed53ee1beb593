import { expect, it } from 'vitest';
import { createProxyHeader } from '../../../src/operator/sign-in/by-proxy.ts';

const FROM = ['10.1.2.3', '192.168.7.0/24', 'fd00::/8'];
const named = createProxyHeader({ header: 'x-forwarded-user', from: FROM });
const withRoles = createProxyHeader({ header: 'x-user', from: FROM, roleHeader: 'x-groups' });

it.each(['10.1.2.3', '192.168.7.200', 'fd00:1::5', '::ffff:10.1.2.3'])(
  'is accepted from a listed proxy: %s',
  (address) => {
    expect(named({ address, headers: { 'x-forwarded-user': ['ada'] } })).toEqual({
      kind: 'signed-in',
      who: { subject: 'ada', name: 'ada', role: 'viewer', kind: 'proxy' },
    });
  },
);

it.each(['10.1.2.4', '192.168.8.1', '::1', '127.0.0.1', '::ffff:10.1.2.4', 'nonsense', undefined])(
  'is ignored from any other address: %s',
  (address) => {
    expect(named({ address, headers: { 'x-forwarded-user': ['ada'] } })).toEqual({ kind: 'forged' });
    expect(withRoles({ address, headers: { 'x-groups': ['admin'] } })).toEqual({ kind: 'forged' });
  },
);

it('is not a sign-in without the header', () => {
  expect(named({ address: '10.1.2.3', headers: { 'x-user': ['ada'] } })).toEqual({ kind: 'none' });
});

it.each([
  ['admin', { role: 'admin' }],
  ['staff, approver ,viewer', { role: 'approver' }],
  ['owner', { role: 'viewer', owner: 'ada' }],
])('gives the highest role that the proxy names: %s', (written, granted) => {
  const headers = { 'x-user': ['ada'], 'x-groups': [written] };
  expect(withRoles({ address: '10.1.2.3', headers })).toEqual({
    kind: 'signed-in',
    who: { subject: 'ada', name: 'ada', kind: 'proxy', ...granted },
  });
});

it.each([
  ['a repeated user header', { 'x-user': ['ada', 'eve'], 'x-groups': ['viewer'] }],
  ['a repeated roles header', { 'x-user': ['ada'], 'x-groups': ['viewer', 'admin'] }],
  ['no user', { 'x-groups': ['admin'] }],
  ['an empty user', { 'x-user': [''], 'x-groups': ['admin'] }],
  ['a long user', { 'x-user': ['a'.repeat(129)], 'x-groups': ['admin'] }],
  ['an invisible character', { 'x-user': ['a\u200Bda'], 'x-groups': ['admin'] }],
  ['no role', { 'x-user': ['ada'] }],
  ['an unknown role', { 'x-user': ['ada'], 'x-groups': ['administrator,constructor'] }],
])('refuses %s', (_what, headers) => {
  expect(withRoles({ address: '10.1.2.3', headers }).kind).toBe('unusable');
});
