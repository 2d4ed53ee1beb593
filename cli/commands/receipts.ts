import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { Command } from 'commander';
import type { JSONWebKeySet } from 'jose';

import { fetchKeySet, readKeySet } from '../../src/auth/jwt/fetch-key-set.ts';
import { isPlainRemote } from '../../src/config/address.ts';
import { createSigningKey } from '../../src/signing/signing-key.ts';
import { verifyReceipt, type ReceiptKey, type VerifiedReceipt } from '../../src/signing/verify-receipt.ts';
import { ExitCode, UsageError, withCall, type Call, type Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';
import { listing, painter, print, withOutput, type OutputFormat } from '../output.ts';

interface VerifyOptions {
  readonly jwks?: string;
  readonly secretFile?: string;
  readonly request?: string;
  readonly output: OutputFormat;
}

const FETCH_TIMEOUT_MS = 5_000;
const MAX_INPUT_CHARS = 65_536;

/** Adds `gateway receipts …`, which verifies `X-Gateway-Signature` headers (docs/signatures.md). */
export function registerReceipts(program: Command, io: Io): void {
  const receipts = program.command('receipts').description('verify answer receipts');
  withOutput(
    receipts
      .command('verify [receipt]')
      .description(
        'verify a receipt, the X-Gateway-Signature header of an answer (default, or -: standard input); exit code 1 if it is not valid',
      )
      .option(
        '--jwks <url or file>',
        'public keys: /.well-known/jwks.json of the admin listener, or a copy of it',
      )
      .option(
        '--secret-file <file>',
        'file with the HMAC secret (default without --jwks: signature.* of the configuration)',
      )
      .option('--request <file>', 'request body, which must match the digest in the receipt'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  $ gateway receipts verify eyJhbGciOi… --jwks http://127.0.0.1:9090/.well-known/jwks.json\n  $ gateway receipts verify - --secret-file secret.txt --request body.json < receipt.txt\n',
    )
    .action(withCall(io, verifyOne));
}

async function verifyOne(call: Call, receipt: string | undefined, options: VerifyOptions): Promise<void> {
  const text = receipt === undefined || receipt === '-' ? await readStandardInput(call) : receipt;
  const key = await receiptKey(call, options);
  const verified = withRequest(await verifyReceipt(text.trim(), key), options.request);
  print(call, verified, () => {
    const paint = painter(call);
    if (!verified.valid) return paint('red', `Not valid: ${verified.reason}.`);
    const rows = Object.entries(verified.receipt).map(([name, value]) => [name, String(value)] as const);
    return `${paint('green', 'Valid.')}\n${listing(rows, paint)}\n${listing([['issued', new Date(verified.receipt.iat * 1_000).toISOString()]], paint)}`;
  });
  if (!verified.valid) throw new ExitCode(1);
}

async function receiptKey(call: Call, { jwks, secretFile }: VerifyOptions): Promise<ReceiptKey> {
  if (jwks !== undefined && secretFile !== undefined) {
    throw new UsageError('give --jwks or --secret-file, not both');
  }
  if (jwks !== undefined) return { keys: await keySetOf(jwks) };
  if (secretFile !== undefined)
    return { secret: secretOf(readGiven('--secret-file', secretFile).toString()) };
  const { signature } = loadedConfig(call).config;
  if (signature.secret === '') {
    throw new UsageError('give --jwks or --secret-file: the configuration has no signature.secret');
  }
  if (signature.type === 'hmac') return { secret: signature.secret };
  const { publicKeys } = createSigningKey(signature);
  return { keys: { keys: [...(publicKeys?.keys ?? [])] } };
}

/** Strips the final line break. */
function secretOf(text: string): string {
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw new UsageError('--secret-file: the file is empty');
  return secret;
}

async function keySetOf(source: string): Promise<JSONWebKeySet> {
  if (!/^https?:\/\//i.test(source)) return readKeySet(readGiven('--jwks', source).toString());
  if (!URL.canParse(source) || isPlainRemote(source)) {
    throw new UsageError('--jwks must be an https:// URL, an http:// URL of a loopback address, or a file');
  }
  return fetchKeySet({ url: source, timeoutMs: FETCH_TIMEOUT_MS });
}

function readGiven(flag: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new UsageError(`${flag}: the file cannot be read (${code})`);
  }
}

function withRequest(verified: VerifiedReceipt, file: string | undefined): VerifiedReceipt {
  if (!verified.valid || file === undefined) return verified;
  const digest = `sha256:${createHash('sha256').update(readGiven('--request', file)).digest('hex')}`;
  return verified.receipt.request_digest === digest
    ? verified
    : {
        valid: false,
        reason: `the receipt has no request_digest, or one for another request (the digest of this one is ${digest})`,
      };
}

async function readStandardInput({ stdin }: Io): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > MAX_INPUT_CHARS)
      throw new UsageError('a receipt cannot be longer than 16,384 characters');
  }
  return text;
}
