import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSharedAccounts, type SharedAccounts } from './rig.ts';

/** Storage of the operator's, which a provider opens with the rights of the account: no key owns any of it. */

let rig: SharedAccounts;
beforeAll(async () => {
  rig = await startSharedAccounts({
    provider_tools: ['data_sources'],
    shared_objects: [
      's3://uploads/*',
      'gs://uploads/*',
      'https://acme.blob.core.windows.net/uploads/*',
      'https://acme.search.windows.net/handbook',
    ],
    unknown_endpoints: [
      'POST /bedrock/async-invoke',
      'GET /bedrock/async-invoke',
      'POST /azure/openai/v1/batches',
      'POST /azure/openai/v1/files',
      'POST /openai/v1/evals',
      'POST /openai/v1/evals/*/runs',
    ],
  });
});
afterAll(() => rig.close());

const CONVERSE = '/bedrock/model/amazon.nova-pro-v1:0/converse';
const INVOKE = '/bedrock/model/amazon.nova-pro-v1:0/invoke';

function converse(block: object): object {
  return { messages: [{ role: 'user', content: [{ text: 'hi' }, block] }] };
}

async function expectServed(path: string, body: object): Promise<void> {
  const { status, body: answer } = await rig.ask(rig.bob, path, body);
  expect([status, answer]).toEqual([200, expect.anything()]);
}

describe('buckets at Bedrock', () => {
  const at = (uri: string) => ({ s3Location: { uri, bucketOwner: '111122223333' } });
  const document = (uri: string) => ({ document: { format: 'pdf', name: 'd', source: at(uri) } });

  it.each([
    ['a document', document('s3://payroll/2026.pdf')],
    ['an image', { image: { format: 'png', source: at('s3://payroll/a.png') } }],
    ['a video', { video: { format: 'mp4', source: at('s3://payroll/a.mp4') } }],
    ['a tool’s result', { toolResult: { toolUseId: 't', content: [document('s3://payroll/2026.pdf')] } }],
    ['another case of the scheme', document('S3://payroll/2026.pdf')],
    ['a way out of a shared folder', document('s3://uploads/../payroll/2026.pdf')],
    ['an escaped way out', document('s3://uploads/%2e%2e/payroll/2026.pdf')],
  ])('are closed to %s', async (_what, block) => {
    await rig.expectNobodys(CONVERSE, converse(block));
    await rig.expectNobodys(`${CONVERSE}-stream`, converse(block));
    await rig.expectNobodys(INVOKE, converse(block));
  });

  it('are closed to a count of tokens', async () => {
    const path = '/bedrock/model/anthropic.claude-sonnet-4-5/count-tokens';
    const count = (body: string) => ({
      input: { invokeModel: { body: Buffer.from(body).toString('base64') } },
    });
    await rig.expectNobodys(path, { input: { converse: converse(document('s3://payroll/2026.pdf')) } });
    const packed = JSON.stringify(converse(document('s3://payroll/2026.pdf')), undefined, 2);
    await rig.expectNobodys(path, count(packed));
    const twice = '{"a":{"uri":"s3://payroll/a","uri":"https://b"}}';
    for (const unclear of [twice, `{"a":${'['.repeat(300)}${']'.repeat(300)}}`]) {
      const { status, body } = await rig.ask(rig.bob, path, count(unclear));
      expect([status, body]).toEqual([400, expect.stringContaining('several ways')]);
    }
    await expectServed(path, count(JSON.stringify(converse({ text: 'file_id: 1, s3://payroll/2026.pdf' }))));
  });

  it('are open where an operator shares them', async () => {
    rig.account.fixed = {
      output: { message: { role: 'assistant', content: [{ text: 'hi' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    };
    await expectServed(CONVERSE, converse(document('s3://uploads/my file.pdf')));
    await expectServed(CONVERSE, converse({ text: 's3://payroll/2026.pdf' }));
    rig.account.fixed = undefined;
  });

  it('are not written by asynchronous invocations', async () => {
    const job = (s3Uri: string, more: object = {}) => ({
      modelId: 'amazon.nova-reel-v1:1',
      modelInput: { taskType: 'TEXT_VIDEO', ...more },
      outputDataConfig: { s3OutputDataConfig: { s3Uri } },
    });
    await rig.expectNobodys('/bedrock/async-invoke', job('s3://payroll/'));
    const reading = { mediaSource: at('s3://payroll/a.mp4') };
    await rig.expectNobodys('/bedrock/async-invoke', job('s3://uploads/out', reading));
    // Only the address of the test's own provider, which is local, is still in the way.
    const shared = await rig.ask(rig.bob, '/bedrock/async-invoke', job('s3://uploads/out'));
    expect([shared.status, shared.body]).toEqual([403, expect.stringContaining('self-hosted')]);
  });
});

describe('blobs and search indexes at Azure', () => {
  it('are read and written by no batch', async () => {
    const batch = { endpoint: '/chat/completions', completion_window: '24h' };
    const blob = (name: string) => `https://acme.blob.core.windows.net/${name}`;
    for (const names of [
      { input_blob: blob('payroll/2026.jsonl'), output_folder: { url: blob('uploads/out') } },
      { input_blob: blob('uploads/a.jsonl'), output_folder: { url: blob('payroll/out') } },
      { input_blob: blob('uploads/../payroll/2026.jsonl') },
      { input_blob: blob('uploads/%2E%2E/payroll/2026.jsonl') },
      { input_blob: 'https://acme.blob.core.windows.net./uploads/a.jsonl' },
    ])
      await rig.expectNobodys('/azure/openai/v1/batches', { ...batch, ...names });
    const shared = { input_blob: blob('uploads/a.jsonl'), output_folder: { url: blob('uploads/out') } };
    await expectServed('/azure/openai/v1/batches', { ...batch, ...shared });
  });

  const chat = (index: string, authentication: object, endpoint = 'https://acme.search.windows.net/') => ({
    messages: [{ role: 'user', content: 'hi' }],
    data_sources: [{ type: 'azure_search', parameters: { endpoint, index_name: index, authentication } }],
  });
  const path = '/azure/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21';

  it('are open to the resource’s identity only where an operator shares them', async () => {
    const identity = { type: 'system_assigned_managed_identity' };
    await rig.expectNobodys(path, chat('payroll', identity));
    await rig.expectNobodys(path, chat('payroll', { type: 'user_assigned_managed_identity' }));
    await rig.expectNobodys(path, chat('../payroll', identity, 'https://acme.search.windows.net/handbook'));
    await expectServed(path, chat('handbook', identity));
    // The client brings its own rights.
    await expectServed(path, chat('mine', { type: 'api_key', key: 'k' }));
  });
});

describe('Google’s storage', () => {
  const path = '/gemini/v1beta/models/gemini-2.5-flash:generateContent';
  const contents = (fileUri: string) => ({
    contents: [{ role: 'user', parts: [{ text: 'hi' }, { fileData: { mimeType: 'video/mp4', fileUri } }] }],
  });

  it('is closed to a prompt', async () => {
    await rig.expectNobodys(path, contents('gs://payroll/a.mp4'));
    await rig.expectNobodys(path, contents('https://storage.googleapis.com/payroll/a.mp4'));
  });

  it('is closed to embeddings', async () => {
    const file = { fileData: { mimeType: 'video/mp4', fileUri: 'gs://payroll/a.mp4' } };
    const model = '/gemini/v1beta/models/gemini-embedding-2';
    await rig.expectNobodys(`${model}:embedContent`, { content: { parts: [file] } });
    const requests = [{ model: 'models/gemini-embedding-2', content: { parts: [file] } }];
    await rig.expectNobodys(`${model}:batchEmbedContents`, { requests });
  });

  it('is open where an operator shares it', async () => {
    const text = { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] } }] };
    rig.account.fixed = { ...text, usageMetadata: { promptTokenCount: 1, totalTokenCount: 2 } };
    await expectServed(path, contents('gs://uploads/a.mp4'));
    await expectServed(path, contents('https://www.youtube.com/watch?v=1'));
    rig.account.fixed = undefined;
  });
});

describe('what an account has stored as a whole', () => {
  it('is evaluated for no key', async () => {
    const config = { name: 'x', testing_criteria: [] };
    for (const type of ['stored_completions', 'logs'])
      await rig.expectNobodys('/openai/v1/evals', { ...config, data_source_config: { type } });
    const made = await rig.make('/openai/v1/evals', config, { id: 'eval_68a7c1d2e3f4', object: 'eval' });
    expect(made.status).toBe(200);
    for (const type of ['stored_completions', 'responses'])
      await rig.expectNobodys('/openai/v1/evals/eval_68a7c1d2e3f4/runs', {
        data_source: { type: 'responses', model: 'gpt-4o', source: { type, created_after: 0 } },
      });
    await rig.expectNobodys('/openai/v1/evals/eval_68a7c1d2e3f4/runs', {
      data_source: { type: 'jsonl', source: { type: 'file_id', id: 'file-KbQzXvRtLmNpWsYdFgHjCk' } },
    });
  });
});
