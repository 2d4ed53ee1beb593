import { describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { isForbidden, pinnedAddress } from '../../../src/alerting/address.ts';
import { filledMessage } from '../../../src/alerting/event.ts';
import { secretBytes, webhookHeaders } from '../../../src/alerting/sign.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { ConfigError } from '../../../src/config/problems.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('a webhook', () => {
  it('is signed as the Standard Webhooks library expects', () => {
    const message = { id: 'msg_1', body: '{"type":"budget.threshold","data":{"key_name":"Zoë"}}' };
    const headers = webhookHeaders(message, secretBytes(SECRET), Math.floor(Date.now() / 1_000));
    expect(new Webhook(SECRET).verify(message.body, headers)).toEqual(JSON.parse(message.body));
    expect(() => new Webhook(SECRET).verify(`${message.body} `, headers)).toThrow();
  });

  it('without a secret has no signature', () => {
    expect(Object.keys(webhookHeaders({ id: 'msg_1', body: '' }, undefined, 1))).toEqual([
      'webhook-id',
      'webhook-timestamp',
    ]);
  });

  it.each([
    'hunter2',
    'whsec_',
    'whsec_!!!!',
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
    Buffer.alloc(32).toString('base64'),
  ])('has no secret like %s', (written) => {
    expect(secretBytes(written)).toBeUndefined();
  });
});

describe('an address', () => {
  it.each([
    '169.254.169.254',
    '169.254.0.1',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    'fd20:ce::254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    '255.255.255.255',
    'ff02::1',
    'no address',
  ])('is never sent to: %s', (address) => {
    expect(isForbidden(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '192.168.0.9',
    '172.16.0.1',
    '203.0.113.9',
    '2606:4700::1',
    'fd12::1',
  ])('is allowed for a receiver: %s', (address) => {
    expect(isForbidden(address)).toBe(false);
  });

  it.each([
    'http://2852039166/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://[::ffff:169.254.169.254]/',
    'http://0/',
  ])('is judged by its meaning: %s', async (url) => {
    await expect(pinnedAddress(new URL(url).hostname)).rejects.toThrow('which is not allowed');
  });
});

it('fills in a message once: a name’s content is not expanded again', () => {
  const of = { percent: 80, window: 'daily', key_name: '{window}$& {percent}' };
  expect(filledMessage('{key_name}: {percent}% of {window}, {other}', of)).toBe(
    '{window}$& {percent}: 80% of daily, {other}',
  );
});

describe('a configuration', () => {
  function problems(alerting: NonNullable<ConfigInput['alerting']>): string[] {
    try {
      defaultConfig({ alerting });
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.problems.map(({ path }) => path);
      throw error;
    }
  }

  it('sends over TLS, to no URL with a password, signed by a secret in the standard form', () => {
    expect(problems({ webhook_url: 'https://hooks.example/a', secret: SECRET })).toEqual([]);
    expect(problems({ webhook_url: 'https://hooks.example/a' })).toEqual([]);
    expect(problems({ webhook_url: 'http://127.0.0.1:9/a' })).toEqual([]);
    expect(problems({ webhook_url: 'http://hooks.example/a' })).toEqual(['alerting.webhook_url']);
    expect(problems({ webhook_url: 'https://u:p@hooks.example/a' })).toEqual(['alerting.webhook_url']);
    expect(problems({ webhook_url: 'https://hooks.example/a', secret: 's' })).toEqual(['alerting.secret']);
  });
});
