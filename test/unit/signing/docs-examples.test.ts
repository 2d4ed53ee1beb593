import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { preflightProblems } from '../../../src/config/preflight.ts';
import { createSigner } from '../../../src/signing/signer.ts';
import { createSigningKey } from '../../../src/signing/signing-key.ts';

const directory = mkdtempSync(join(tmpdir(), 'gw-test-docs-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The first block of this language on a page of docs/. */
function block(page: string, language: string): string {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  const found = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(text)?.[1];
  if (found === undefined) throw new Error(`no ${language} on ${page}`);
  return found;
}

it.each(['identity.md', 'signatures.md'])('the configuration of docs/%s is valid', (page) => {
  const path = join(directory, `${page}.yaml`);
  writeFileSync(path, block(page, 'yaml'));
  const env = { SERVER_INSECURE_DEV: 'true', GATEWAY_SIGNATURE_SECRET: 'x'.repeat(32) };
  const { config, sources } = loadConfig({ path, env });
  expect(preflightProblems(config, sources)).toEqual([]);
});

describe('the verifier of docs/signatures.md', () => {
  const SECRET = 'a secret of thirty-two bytes and more';
  const key = createSigningKey({ type: 'hmac', secret: SECRET });
  const body = Buffer.from('{"model":"gpt-4o"}');
  type Verify = (signature: string, body: Buffer, secret: string) => object | undefined;
  async function load(): Promise<Verify> {
    const path = join(directory, 'verify.mjs');
    writeFileSync(path, block('signatures.md', 'js'));
    const loaded = (await import(path)) as { readonly verifyRequest: Verify };
    return loaded.verifyRequest;
  }

  it('accepts only what the gateway signed', async () => {
    const verify = await load();
    const signer = createSigner(key);
    const signature = await signer.request(body, 'r-1');
    expect(verify(signature, body, SECRET)).toMatchObject({ kid: key.kid, jti: 'r-1' });
    expect(verify(signature, Buffer.from('{"model":"gpt-4O"}'), SECRET)).toBeUndefined();
    expect(verify(signature, body, `${SECRET}!`)).toBeUndefined();
    const old = await createSigner(key, () => Date.now() - 600_000).request(body, 'r-1');
    expect(verify(old, body, SECRET)).toBeUndefined();
    const [header = '', payload = '', given = ''] = signer
      .receipt({ jti: 'r', key_hash: `sha256:${'a'.repeat(64)}`, decision: 'allow', status: 200 })
      .split('.');
    const signed = Buffer.from(payload, 'base64url');
    expect(createHmac('sha256', SECRET).update(`${header}.${payload}`).digest('base64url')).toBe(given);
    expect(verify(`${header}..${given}`, signed, SECRET)).toBeUndefined();
  });
});
