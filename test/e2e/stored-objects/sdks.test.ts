import Anthropic, { toFile } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { Mistral } from '@mistralai/mistralai';
import { CohereClient } from 'cohere-ai';
import OpenAI, { AzureOpenAI } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSharedAccounts, type SharedAccounts } from './rig.ts';

/** Ordinary work of the SDKs with one key's objects is not refused. */

let rig: SharedAccounts;
let made = 0;

beforeAll(async () => {
  const paths = [
    ...['openai/v1', 'azure/openai/v1', 'azure/openai'].flatMap((base) => [
      `POST /${base}/**`,
      `GET /${base}/files/**`,
      `GET /${base}/vector_stores/**`,
      `GET /${base}/responses/**`,
      `GET /${base}/batches/**`,
    ]),
    ...['POST /anthropic/v1/files', 'GET /anthropic/v1/files/*', 'POST /anthropic/v1/messages/batches'],
    ...['POST /gemini/v1beta/cachedContents', 'POST /gemini/v1beta/batches/*'],
    ...['POST /mistral/v1/files', 'GET /mistral/v1/files/*', 'POST /mistral/v1/batch/jobs'],
    ...['GET /mistral/v1/batch/jobs/*', 'POST /mistral/v1/conversations', 'POST /mistral/v1/ocr'],
    ...['POST /mistral/v1/conversations/*', 'GET /mistral/v1/conversations/*'],
    ...['POST /cohere/v1/embed-jobs', 'GET /cohere/v1/embed-jobs/*'],
  ];
  rig = await startSharedAccounts({
    unknown_endpoints: paths,
    stored_prompts: 'allow',
    provider_tools: ['file_search', 'code_interpreter', 'code_execution_20250825'],
    shared_objects: ['files', 'vector_stores', 'batches', 'responses'],
  });
});
afterAll(() => rig.close());

const hex = (): string => `68a7c1d2e3f4${String((made += 1)).padStart(12, '0')}`;
const uuid = (): string => `0b5d1c5e-6f0e-4d57-9d0c-${String((made += 1)).padStart(12, '0')}`;
const text = (): Promise<File> => toFile(Buffer.from('{"order_id":"17"}\n'), 'orders.jsonl');

/** Answers the next call with this. */
async function given<Result>(answer: unknown, call: () => PromiseLike<Result>): Promise<Result> {
  rig.account.fixed = answer;
  try {
    return await call();
  } finally {
    rig.account.fixed = undefined;
  }
}

const response = (id: string) => ({
  ...{ id, object: 'response', status: 'completed', model: 'gpt-4o' },
  output: [{ id: `msg_${hex()}`, type: 'message', role: 'assistant', status: 'completed', content: [] }],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
});

describe.each(['OpenAI', 'Azure'])('the SDK of %s', (name) => {
  function client(): OpenAI {
    const { baseUrl } = rig.gateway;
    const options = { apiKey: rig.ada.rawKey, maxRetries: 0 };
    if (name === 'OpenAI') return new OpenAI({ ...options, baseURL: `${baseUrl}/openai/v1` });
    return new AzureOpenAI({
      ...options,
      baseURL: `${baseUrl}/azure/openai`,
      apiVersion: '2025-04-01-preview',
    });
  }

  it('uploads a file, runs a batch, searches a store, and goes on', async () => {
    const openai = client();
    const file = await given({ id: `file-${hex()}`, object: 'file' }, async () =>
      openai.files.create({ file: await text(), purpose: 'batch' }),
    );
    await given({ ...file }, () => openai.files.retrieve(file.id));
    const batch = await given({ id: `batch_${hex()}`, object: 'batch' }, () =>
      openai.batches.create({
        input_file_id: file.id,
        endpoint: '/v1/responses',
        completion_window: '24h',
        metadata: { run_id: uuid() },
      }),
    );
    await given({ ...batch }, () => openai.batches.retrieve(batch.id));
    await given({ ...batch }, () => openai.batches.cancel(batch.id));
    const store = await given({ id: `vs_${hex()}`, object: 'vector_store' }, () =>
      openai.vectorStores.create({ name: 'x', file_ids: [file.id] }),
    );
    await given({ id: file.id, object: 'vector_store.file' }, () =>
      openai.vectorStores.files.create(store.id, { file_id: file.id, attributes: { user: uuid() } }),
    );
    await given({ data: [{ file_id: file.id }] }, () => openai.vectorStores.search(store.id, { query: 'q' }));
    const first = await given(response(`resp_${hex()}`), () =>
      openai.responses.create({
        model: 'gpt-4o',
        input: 'hi',
        metadata: { trace_id: uuid() },
        tools: [
          { type: 'file_search', vector_store_ids: [store.id] },
          { type: 'code_interpreter', container: { type: 'auto', file_ids: [file.id] } },
        ],
      }),
    );
    await given(response(first.id), () => openai.responses.retrieve(first.id));
    const input = [...first.output, { role: 'user', content: 'and?' }] as OpenAI.Responses.ResponseInput;
    await given(response(`resp_${hex()}`), () =>
      openai.responses.create({ model: 'gpt-4o', previous_response_id: first.id, input }),
    );
  });
});

describe('Anthropic’s SDK', () => {
  it('uploads a file, uses it in a container, and runs a batch', async () => {
    const baseURL = `${rig.gateway.baseUrl}/anthropic`;
    const anthropic = new Anthropic({ apiKey: rig.ada.rawKey, baseURL, maxRetries: 0 });
    const file = await given({ id: `file_${hex()}`, type: 'file' }, async () =>
      anthropic.beta.files.upload({ file: await text() }),
    );
    const answer = {
      ...{ id: `msg_${hex()}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' },
      content: [{ type: 'text', text: 'hi' }],
      container: { id: `container_${hex()}`, expires_at: 'later' },
      ...{ stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } },
    };
    const asks = {
      model: 'claude-sonnet-4-5',
      max_tokens: 9,
      metadata: { user_id: uuid() },
      tools: [{ type: 'code_execution_20250825' as const, name: 'code_execution' as const }],
      messages: [
        { role: 'user' as const, content: [{ type: 'container_upload' as const, file_id: file.id }] },
      ],
    };
    const first = await given(answer, () => anthropic.beta.messages.create(asks));
    const container = first.container?.id ?? '';
    expect(container).not.toBe('');
    await given(answer, () => anthropic.beta.messages.create({ ...asks, container }));
    const params = { ...asks, container } as Anthropic.MessageCreateParamsNonStreaming;
    await given({ id: `msgbatch_${hex()}`, type: 'message_batch' }, () =>
      anthropic.messages.batches.create({ requests: [{ custom_id: uuid(), params }] }),
    );
  });
});

describe('Google’s SDK', () => {
  it('caches contents and uses them', async () => {
    const baseUrl = `${rig.gateway.baseUrl}/gemini`;
    const google = new GoogleGenAI({
      apiKey: rig.ada.rawKey,
      apiVersion: 'v1beta',
      httpOptions: { baseUrl },
    });
    const model = 'gemini-2.5-flash';
    const cache = await given({ name: `cachedContents/${hex()}`, model: `models/${model}` }, () =>
      google.caches.create({ model, config: { contents: 'long', displayName: uuid() } }),
    );
    const text = { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] } }] };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const { name = '' } = cache;
    await given({ ...text, usageMetadata }, () =>
      google.models.generateContent({ model, contents: 'hi', config: { cachedContent: name } }),
    );
  });
});

describe('Mistral’s SDK', () => {
  it('uploads a file, runs a batch, reads a document, and goes on with a conversation', async () => {
    const mistral = new Mistral({ apiKey: rig.ada.rawKey, serverURL: `${rig.gateway.baseUrl}/mistral` });
    const id = uuid();
    const file = {
      ...{ id, object: 'file', bytes: 3, created_at: 1, filename: 'orders.jsonl' },
      ...{ purpose: 'batch', sample_type: 'batch_request', source: 'upload' },
    };
    await given(file, async () => mistral.files.upload({ file: await text(), purpose: 'batch' }));
    const counts = { total_requests: 1, completed_requests: 0, succeeded_requests: 0, failed_requests: 0 };
    const job = {
      ...{ id: uuid(), object: 'batch', input_files: [id], endpoint: '/v1/chat/completions', errors: [] },
      ...{ status: 'QUEUED', created_at: 1, ...counts },
    };
    await given(job, () =>
      mistral.batch.jobs.create({
        inputFiles: [id],
        model: 'mistral-small-latest',
        endpoint: '/v1/chat/completions',
        metadata: { run_id: uuid() },
      }),
    );
    await given(job, () => mistral.batch.jobs.get({ jobId: job.id }));
    const ocr = { pages: [], model: 'mistral-ocr-latest', usage_info: { pages_processed: 1 } };
    await given(ocr, () =>
      mistral.ocr.process({ model: 'mistral-ocr-latest', document: { type: 'file', fileId: id } }),
    );
    const conversation = {
      ...{ object: 'conversation.response', conversation_id: `conv_${hex()}`, outputs: [] },
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
    const { conversationId } = await given(conversation, () =>
      mistral.beta.conversations.start({ model: 'mistral-small-latest', inputs: 'hi' }),
    );
    const conversationAppendRequest = { inputs: 'and?' };
    await given(conversation, () =>
      mistral.beta.conversations.append({ conversationId, conversationAppendRequest }),
    );
  });
});

describe('Cohere’s SDK', () => {
  it('embeds a dataset that the operator shares, and reads the job', async () => {
    const environment = `${rig.gateway.baseUrl}/cohere`;
    const cohere = new CohereClient({ token: rig.ada.rawKey, environment, maxRetries: 0 });
    const job = { job_id: uuid(), status: 'processing', created_at: '2026-01-01T00:00:00Z' };
    const asks = { model: 'embed-v4.0', datasetId: 'files', inputType: 'search_document' as const };
    const { jobId } = await given(job, () => cohere.embedJobs.create(asks));
    const more = { input_dataset_id: 'files', model: 'embed-v4.0', truncate: 'END' };
    expect((await given({ ...job, ...more }, () => cohere.embedJobs.get(jobId))).jobId).toBe(jobId);
  });
});
