import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSharedAccounts, type SharedAccounts } from './rig.ts';

/** Each provider's objects, in the shapes of its API. */

const UUID = '0b5d1c5e-6f0e-4d57-9d0c-2f6f3f0b1a11';

let rig: SharedAccounts;
beforeAll(async () => {
  rig = await startSharedAccounts(
    {
      unknown_endpoints: [
        ...['azure/openai', 'groq', 'together', 'xai'].flatMap((base) => [
          `POST /${base}/v1/files`,
          `POST /${base}/v1/batches`,
          `GET /${base}/v1/batches/*`,
        ]),
        'POST /mistral/v1/files',
        'POST /mistral/v1/batch/jobs',
        'POST /mistral/v1/ocr',
        'POST /mistral/v1/conversations',
        'POST /mistral/v1/conversations/*',
        'GET /mistral/v1/files/*/content',
        'POST /together/v1/tci/execute',
        'POST /xai/v1/batches/*/requests',
        'GET /xai/v1/batches',
        'POST /cohere/v1/embed-jobs',
        'GET /cohere/v1/embed-jobs',
        'GET /cohere/v1/embed-jobs/*',
        'POST /cohere/v2/batches',
        'GET /cohere/v2/batches/*',
        'GET /cohere/v1/datasets/*',
        'POST /cohere/v1/datasets',
        'POST /gemini/v1beta/models/veo-3:predictLongRunning',
        'GET /gemini/v1beta/models/veo-3/operations/*',
        'GET /gemini/v1beta/files/*',
        'POST /gemini/v1beta/fileSearchStores',
        'GET /gemini/v1beta/fileSearchStores/*/documents/*',
        'POST /openai/v1/conversations',
        'POST /openai/v1/agents/sessions',
        'POST /openai/v1/agents/automations',
        'POST /anthropic/v1/sessions',
        'POST /anthropic/v1/dreams',
        'GET /openai/v1/conversations/*/items/*',
        'POST /bedrock/async-invoke',
        'GET /bedrock/async-invoke',
      ],
    },
    {
      routed: [
        { provider: 'openai', model: 'down' },
        { provider: 'vllm', model: 'm', on: ['5xx'] },
      ],
    },
  );
});
afterAll(() => rig.close());

describe('a response', () => {
  it.each([
    '/azure/openai/v1/responses',
    '/azure/openai/responses?api-version=2025-04-01-preview',
    '/groq/v1/responses',
    '/fireworks/v1/responses',
    '/xai/v1/responses',
    '/openrouter/v1/responses',
    '/vllm/v1/responses',
    '/ollama/v1/responses',
  ])('goes on for its own key only at %s', async (path) => {
    const asks = { model: 'm', input: 'hi' };
    const { body } = await rig.ask(rig.ada, path, asks);
    // Some versions of the path are unknown to the fake provider.
    const id = /"id":"((?:resp|obj)_[0-9a-z]+)"/.exec(body)?.[1];
    expect(id, body).toBeDefined();
    await rig.expectAdas(path, { ...asks, previous_response_id: id });
  });
});

describe('files and batches', () => {
  it.each([
    ['/azure/openai/v1', 'assistant-Ab3dEfGhJkLmNpQrStUvWx'],
    ['/groq/v1', 'file_01jh6x76wtemjr74t1fh0faj5t'],
    ['/together/v1', `file-${UUID}`],
    ['/xai/v1', `file_${UUID}`],
  ])('are their key’s own at %s', async (base, file) => {
    await rig.make(`${base}/files`, { purpose: 'batch' }, { id: file, object: 'file' });
    const asks = { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' };
    await rig.expectAdas(`${base}/batches`, asks);
    await rig.expectAdas(`${base}/batches`, { anything: { at: [{ all: file }] } });
    const batch = `batch_${base.length.toString()}a7c1d2e3f405162738`;
    await rig.make(`${base}/batches`, asks, { job: { id: batch, status: 'VALIDATING' } });
    await rig.expectAdas(`${base}/batches/${batch}`);
  });
});

describe('Mistral', () => {
  it('a file in a batch and for OCR, and the file that the batch wrote', async () => {
    await rig.make('/mistral/v1/files', { purpose: 'batch' }, { id: UUID, object: 'file' });
    const job = { input_files: [UUID], model: 'mistral-small-latest', endpoint: '/v1/chat/completions' };
    await rig.expectAdas('/mistral/v1/batch/jobs', job);
    await rig.expectAdas('/mistral/v1/ocr', { document: { type: 'file', file_id: UUID } });
    const output = UUID.replace('0b', '1c');
    await rig.make('/mistral/v1/batch/jobs', job, { id: UUID.replace('0b', '2d'), output_file: output });
    await rig.expectAdas(`/mistral/v1/files/${output}/content`);
  });

  it('a conversation', async () => {
    const id = 'conv_0197f3a2b4c57d8e9f00112233445566';
    await rig.make(
      '/mistral/v1/conversations',
      { model: 'mistral-small-latest', inputs: 'hi' },
      { object: 'conversation.response', conversation_id: id, outputs: [{ id: 'msg_1', content: 'hi' }] },
    );
    await rig.expectAdas(`/mistral/v1/conversations/${id}`, { inputs: 'and?' });
  });
});

describe('Together', () => {
  it('a session of the code interpreter', async () => {
    const path = '/together/v1/tci/execute';
    const run = { language: 'python', code: 'print(1)' };
    const answer = { data: { session_id: 'ses_abcDEF123', outputs: [], status: 'success' }, errors: null };
    await rig.make(path, run, answer);
    await rig.expectAdas(path, { ...run, session_id: 'ses_abcDEF123' });
  });
});

describe('xAI', () => {
  it('a batch, whose requests have names that the client chooses', async () => {
    const id = 'batch_f1a2b3c4d5e6f7081920';
    await rig.make('/xai/v1/batches', { name: 'mine' }, { batch_id: id, name: 'mine' });
    const messages = [{ role: 'user', content: 'hi' }];
    await rig.expectAdas(`/xai/v1/batches/${id}/requests`, {
      batch_requests: [
        { batch_request_id: 'a1', batch_request: { chat_get_completion: { model: 'grok-4', messages } } },
      ],
    });
    const others = { batch_id: 'batch_00000000000000000000', name: 'theirs' };
    const { body } = await rig.make('/xai/v1/batches', undefined, {
      batches: [others, { batch_id: id, name: 'mine' }],
      pagination_token: null,
    });
    expect(JSON.parse(body)).toEqual({ batches: [{ batch_id: id, name: 'mine' }], pagination_token: null });
  });
});

describe('Cohere', () => {
  it('a dataset, a job with it, and the dataset that the job made', async () => {
    const input = 'my-dataset-8kq2vz';
    await rig.make('/cohere/v1/datasets', { name: 'd' }, { id: input });
    const job = { model: 'embed-v4.0', dataset_id: input, input_type: 'search_document' };
    await rig.expectAdas('/cohere/v1/embed-jobs', job);
    await rig.make('/cohere/v1/embed-jobs', job, { job_id: UUID, meta: {} });
    const done = { job_id: UUID, name: 'n', input_dataset_id: input, output_dataset_id: 'out-x4k2pq' };
    await rig.make(`/cohere/v1/embed-jobs/${UUID}`, undefined, done);
    await rig.expectAdas('/cohere/v1/datasets/out-x4k2pq');
    const { body } = await rig.make('/cohere/v1/embed-jobs', undefined, {
      embed_jobs: [{ ...done, job_id: UUID.replace('0b', '3e') }, done],
    });
    expect(JSON.parse(body)).toEqual({ embed_jobs: [done] });
  });

  it('a batch, and the dataset that it wrote', async () => {
    const batch = { id: 'batch-9f8e7d', name: 'b', input_dataset_id: 'in', output_dataset_id: 'out-7d6c5b' };
    await rig.make('/cohere/v2/batches', { name: 'b' }, { batch: { id: batch.id, name: 'b' } });
    await rig.make(`/cohere/v2/batches/${batch.id}`, undefined, { batch });
    await rig.expectAdas('/cohere/v1/datasets/out-7d6c5b');
  });
});

describe('Google', () => {
  it('a video in the making, and its file', async () => {
    const name = 'models/veo-3/operations/k2v8w1x9';
    await rig.make('/gemini/v1beta/models/veo-3:predictLongRunning', { instances: [] }, { name });
    const uri = 'https://generativelanguage.googleapis.com/v1beta/files/7v1d3o:download?alt=media';
    const response = { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } };
    await rig.expectAdas(`/gemini/v1beta/${name}`);
    await rig.make(`/gemini/v1beta/${name}`, undefined, { name, done: true, response });
    await rig.expectAdas('/gemini/v1beta/files/7v1d3o:download');
  });

  it('documents of a store', async () => {
    const name = 'fileSearchStores/notes-4k2pq8v1w3x9';
    await rig.make('/gemini/v1beta/fileSearchStores', { displayName: 'notes' }, { name });
    await rig.expectAdas(`/gemini/v1beta/${name}/documents/chapter-1-8v1w3x9`);
  });
});

describe('OpenAI', () => {
  it('every item of a conversation', async () => {
    const id = 'conv_68a7c1d2e3f405162738495a';
    await rig.make('/openai/v1/conversations', { items: [] }, { id, object: 'conversation' });
    await rig.expectAdas(`/openai/v1/conversations/${id}/items/msg_of_the_client`);
  });
});

describe('a session of an agent', () => {
  it('is dreamt of by its own key only at Anthropic', async () => {
    const id = 'sesn_011CZkZAtmR3yMPDzynEDxu7';
    await rig.make('/anthropic/v1/sessions', { title: 'x' }, { id, type: 'session' });
    await rig.expectAdas('/anthropic/v1/dreams', { inputs: [{ type: 'sessions', session_ids: [id] }] });
  });

  it('is continued by its own key only at OpenAI', async () => {
    const id = 'sess_68a7c1d2e3f405162738495a';
    await rig.make('/openai/v1/agents/sessions', { input: 'hi' }, { id, object: 'agent.session' });
    await rig.expectAdas('/openai/v1/agents/automations', { target: { session_id: id } });
  });
});

describe('Bedrock', () => {
  it('lists the key’s own invocations', async () => {
    const arn = (id: string) => `arn:aws:bedrock:us-east-1:111122223333:async-invoke/${id}`;
    // AWS's SDKs add the token.
    const start = { modelId: 'm', clientRequestToken: '0b5d1c5e-6f0e-4d57-9d0c-2f6f3f0b1a11' };
    await rig.make('/bedrock/async-invoke', start, { invocationArn: arn('a1b2c3d4e5f6') });
    const own = { invocationArn: arn('a1b2c3d4e5f6'), status: 'Completed' };
    const { body } = await rig.make('/bedrock/async-invoke', undefined, {
      asyncInvokeSummaries: [{ ...own, invocationArn: arn('f6e5d4c3b2a1') }, own],
    });
    expect(JSON.parse(body)).toEqual({ asyncInvokeSummaries: [own] });
  });
});

describe('vLLM', () => {
  it('takes no name of a cached picture, with the picture or without', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    for (const image_url of [null, { url }]) {
      const content = [{ type: 'image_url', image_url, uuid: 'sku-1' }];
      for (const path of ['/vllm/v1/chat/completions', '/vllm/v1/embeddings'])
        await rig.expectNobodys(path, { model: 'm', messages: [{ role: 'user', content }] });
      await rig.expectNobodys('/vllm/v1/rerank', { model: 'm', query: { content }, documents: ['a'] });
    }
  });

  it('is not a fallback for a request that names an object', async () => {
    const asks = (part: object) => ({
      model: 'routed',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', ...part }] }],
    });
    const answer = await rig.ask(rig.ada, '/openai/v1/chat/completions', asks({}));
    expect(answer.status).toBe(200);
    const before = rig.account.arrived.length;
    const named = await rig.ask(rig.ada, '/openai/v1/chat/completions', asks({ uuid: 'sku-1' }));
    expect([named.status, rig.account.arrived.length - before]).toEqual([503, 1]);
  });
});
