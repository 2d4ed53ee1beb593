import { createDlpCheck } from '../../../../src/checks/dlp/check.ts';
import type { FoundClass } from '../../../../src/checks/dlp/deps.ts';
import { MAX_FINDINGS } from '../../../../src/inspect/inspected.ts';
import { configSchema, type ConfigInput } from '../../../../src/config/schema.ts';
import {
  contentDetectorsOf,
  createContentDetector,
  createFindContentAll,
} from '../../../../src/detectors/content.ts';
import { applyEdits } from '../../../../src/json/edit.ts';
import type { Check, Verdict } from '../../../../src/pipeline/check.ts';
import type { Answered, Parsed, WholeAnswer } from '../../../../src/pipeline/exchange.ts';
import type { SecretLeak } from '../../../../src/checks/report-secret-leak.ts';
import { readAtOnce } from '../../../support/read-at-once.ts';
import { newAnswer } from '../../../../src/answers/new-answer.ts';
import type { AnswerFacts } from '../../../../src/providers/dialect.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { parsed as parsedExchange } from '../../../support/exchange.ts';
import { makeSecret, seededRandom } from '../../detectors/secrets/samples.ts';

/** Made up; none of them occurs in a source unchanged. */
export const AWS_KEY = makeSecret('aws_access_key_id', seededRandom(1)).secret;
export const EMAIL = ['ann.lee', 'mail.example-shop.com'].join('@');
export const CARD = ['4539', '1488', '0343', '6467'].join('');
export const SSN = ['219', '09', '9999'].join('-');
export const PHONE = ['+1', '212', '555', '0187'].join(' ');
export const ADDRESS = ['10', '20', '30', '40'].join('.');

export const KEY_HASH = 'sha256:ab';

type DlpInput = NonNullable<NonNullable<ConfigInput['server']>['dlp']>;

export interface Rig {
  readonly check: Check;
  readonly leaks: SecretLeak[];
  readonly classes: FoundClass[];
  /** All that was gone through as whole texts, in order. */
  readonly searched: string[];
}

/** The check as a gateway has it, with everything switched on that `dlp` does not switch off. */
export function dlp(input: DlpInput = {}): Rig {
  const { dlp: config } = configSchema.parse({
    server: { dlp: { enabled: true, scan_network: true, ...input } },
  }).server;
  const scope = {
    scanSecrets: config.scan_secrets,
    scanPii: config.scan_pii,
    scanNetwork: config.scan_network,
    allowedHosts: config.allowed_hosts,
  };
  const leaks: SecretLeak[] = [];
  const classes: FoundClass[] = [];
  const searched: string[] = [];
  const findAll = createFindContentAll(scope, MAX_FINDINGS);
  const check = createDlpCheck({
    config,
    detector: createContentDetector(scope),
    findAll(texts) {
      searched.push(...texts);
      return findAll(texts);
    },
    detectors: contentDetectorsOf(scope),
    reportSecretLeak: (leak) => {
      leaks.push(leak);
      return Promise.resolve();
    },
    onFound: (found) => classes.push(found),
  });
  return { check, leaks, classes, searched };
}

export interface AnswerInput {
  readonly body: string | Buffer | object;
  readonly contentType?: string | undefined;
  readonly status?: number;
  readonly facts?: Partial<AnswerFacts>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly provider?: ProviderName;
  readonly path?: string;
}

/** A whole answer as the edge hands it on. */
export function answered(
  input: AnswerInput,
): Answered & { readonly answer: { readonly whole: WholeAnswer } } {
  const { body } = input;
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const { parsed: document, json } = readAtOnce(bytes);
  const request = parsed({ provider: input.provider, path: input.path });
  const facts =
    input.facts === undefined
      ? request.endpoint.dialect.answer(document)
      : { usage: undefined, texts: [], ...input.facts };
  const whole: WholeAnswer = {
    body: bytes,
    contentType: 'contentType' in input ? input.contentType : 'application/json',
    json,
    edits: [],
    replacement: undefined,
  };
  return {
    ...request,
    origin: 'provider',
    status: input.status ?? 200,
    answerHeaders: new Map(Object.entries(input.headers ?? {})),
    form: 'whole',
    answer: { ...newAnswer(), whole, facts, complete: true },
  };
}

export interface RequestInput {
  readonly provider?: ProviderName | undefined;
  readonly path?: string | undefined;
  readonly body?: Record<string, unknown>;
  readonly text?: string;
}

export function parsed({ provider, path, body = {}, text }: RequestInput): Parsed {
  return parsedExchange({
    provider,
    path,
    text,
    keyHash: KEY_HASH,
    body: { model: 'gpt-4o', messages: [], ...body },
  });
}

export interface Judged {
  readonly verdict: Verdict | undefined;
  /** The output for the client, or the provider; undefined if it was refused. */
  readonly bytes: Buffer | undefined;
  readonly body: string | undefined;
}

/** Judges an answer, and applies the result as the edge does. */
export async function judgeAnswer({ check }: Rig, exchange: ReturnType<typeof answered>): Promise<Judged> {
  const verdict = await check.response?.(exchange, undefined);
  const { whole } = exchange.answer;
  if (verdict?.kind === 'deny') {
    await verdict.enforce?.();
    return refused(verdict);
  }
  if (verdict?.kind === 'rewrite') verdict.apply();
  return passed(verdict, whole.replacement ?? applyEdits(whole.body, whole.edits));
}

export async function judgeRequest({ check }: Rig, exchange: Parsed): Promise<Judged> {
  const verdict = await check.requestBody?.(exchange, undefined);
  if (verdict?.kind === 'deny') return refused(verdict);
  if (verdict?.kind === 'rewrite') verdict.apply();
  return passed(verdict, applyEdits(exchange.body, exchange.edits));
}

function refused(verdict: Verdict): Judged {
  return { verdict, bytes: undefined, body: undefined };
}

function passed(verdict: Verdict | undefined, bytes: Buffer): Judged {
  return { verdict, bytes, body: bytes.toString() };
}

/** The body of an answer as it leaves. */
export async function maskedAnswer(input: AnswerInput): Promise<string | undefined> {
  return (await judgeAnswer(dlp(), answered(input))).body;
}
