import { describe, expect, it } from 'vitest';
import { addressGroup } from '../../src/address-counts.ts';

describe('addresses that count as one', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::', '2001:db8:1:2::/64'],
    ['2001:db8::5', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['', ''],
  ])('%s counts under %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
