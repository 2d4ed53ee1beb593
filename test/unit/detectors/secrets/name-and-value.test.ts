import { describe, expect, it, test } from 'vitest';
import { maskSecrets } from '../../../../src/detectors/mask.ts';
import { MAX_SECRET_CHARS } from '../../../../src/detectors/secrets/secret-rules.ts';
import { secretsDetector } from '../../../../src/detectors/secrets/secrets.ts';
import { brokenAt } from '../stream-contract.ts';
import { makeSecret, seededRandom } from './samples.ts';

const secret = makeSecret('aws_secret_access_key', seededRandom(31)).secret;
const pair = (name: string): string => JSON.stringify({ name: 'AWS_SECRET_ACCESS_KEY', [name]: secret });

/** Secrets whose name is the value of another member, as in deployments and settings. */
const texts: readonly string[] = [
  ...['value', 'Value', 'ParameterValue', 'string_value', 'secret', 'content', 'default'].map(pair),
  JSON.stringify({ env: [{ name: 'A', value: 'b' }, JSON.parse(pair('value'))] }, undefined, 2),
  JSON.stringify({ arguments: pair('value') }),
  `env:\n        - name: AWS_SECRET_ACCESS_KEY\n          value: ${secret}\n`,
  `env:\n        - name: "AWS_SECRET_ACCESS_KEY"\n          value: "${secret}"\n`,
  `<name>AWS_SECRET_ACCESS_KEY</name>\n  <value>${secret}</value>`,
  `{ name = "AWS_SECRET_ACCESS_KEY", value = "${secret}" }`,
];

describe('a secret whose name is a member beside it', () => {
  it.each(texts)('is found: %s', (text) => {
    expect(maskSecrets(text)).not.toContain(secret);
    expect(maskSecrets(text).replaceAll('***', '').length).toBe(text.length - secret.length);
  });

  it.each(texts)('keeps every promise of a stream: %s', (text) => {
    const cuts = Array.from({ length: text.length + 1 }, (_, at) => at);
    expect(brokenAt(secretsDetector, text, cuts, MAX_SECRET_CHARS)).toEqual([]);
  });

  test.each([
    JSON.stringify({ provider: 'cohere', request_id: secret }),
    JSON.stringify({ model: 'AWS_SECRET_ACCESS_KEY', digest: secret }),
    JSON.stringify({ name: 'AWS_SECRET_ACCESS_KEY', other: 1, value: secret }),
  ])('is not found beside a member of another kind: %s', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });
});

describe('a secret whose variable has a long name', () => {
  const uuid = /[0-9a-f-]{36}/.exec(makeSecret('heroku_api_key', seededRandom(32)).text)?.[0] ?? '';
  const rest = '_of_the_production_pipeline_2';

  test.each([
    ['heroku_api_key', uuid],
    ['herokuapikey', uuid],
    ['heroku_token', uuid],
    ['snyk_token', uuid],
    ['snyk_api', uuid],
    ['awssecretkey', secret],
    ['telegram', `12345678:A${secret.replaceAll(/[/+]/g, 'x').slice(0, 34)}`],
  ])('is found after %s', (name, value) => {
    expect(maskSecrets(`${name}${rest}=${value}`)).toBe(`${name}${rest}=***`);
  });
});
