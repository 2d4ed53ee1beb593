import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Lines } from '../../support/provider-account.ts';
import { startSharedAccounts, type SharedAccounts } from './rig.ts';

/** The answers in results of a batch belong to the key whose batch it was, like all other answers. */

const INPUT = 'file-68a7c1d2e3f4051627380001';
const OUTPUT = 'file-68a7c1d2e3f4051627380002';
const BATCH = 'batch_68a7c1d2e3f4051627380003';
const BASES = ['/openai/v1', '/azure/openai/v1'];

let rig: SharedAccounts;
beforeAll(async () => {
  rig = await startSharedAccounts({
    unknown_endpoints: [
      ...BASES.flatMap((base) => [
        `POST ${base}/files`,
        `GET ${base}/files/*/content`,
        `POST ${base}/batches`,
        `GET ${base}/batches/*`,
      ]),
      'POST /anthropic/v1/messages/batches',
      'GET /anthropic/v1/messages/batches/*/results',
    ],
  });
});
afterAll(() => rig.close());
afterEach(() => {
  rig.account.fixed = undefined;
});

function responseLine(id: string, more: object = {}) {
  const body = { id, object: 'response', output: [{ id: `msg_${id.slice(5)}`, type: 'message' }], ...more };
  return { id: 'batch_req_1', custom_id: 'a', response: { status_code: 200, body }, error: null };
}

describe.each(BASES)('a batch of responses at %s', (base) => {
  const respond = (id: string) => ({ model: 'gpt-4o', input: 'hi', previous_response_id: id });
  const theirs = 'resp_00000000000000000000000b';

  it('lets its key go on from each of them', async () => {
    await rig.make(`${base}/files`, { purpose: 'batch' }, { id: INPUT, object: 'file' });
    const asks = { input_file_id: INPUT, endpoint: '/v1/responses', completion_window: '24h' };
    await rig.make(`${base}/batches`, asks, { id: BATCH, object: 'batch', output_file_id: null });
    const done = { id: BATCH, object: 'batch', status: 'completed', output_file_id: OUTPUT };
    await rig.make(`${base}/batches/${BATCH}`, undefined, done);
    const lines = Array.from({ length: 1_200 }, (_, index) =>
      responseLine(`resp_68a7c1d2e3f40516${String(index).padStart(8, '0')}`),
    );
    const repeating = responseLine('resp_68a7c1d2e3f40516x', { metadata: { previous_response_id: theirs } });
    const unstored = responseLine('resp_68a7c1d2e3f40516y', { store: false });
    const results = new Lines([...lines, repeating, unstored]);
    await rig.make(`${base}/files/${OUTPUT}/content`, undefined, results);
    await rig.expectAdas(`${base}/responses`, respond('resp_68a7c1d2e3f4051600000000'));
    await rig.expectAdas(`${base}/responses`, respond('resp_68a7c1d2e3f4051600001199'));
    await rig.expectAdas(`${base}/responses`, {
      model: 'gpt-4o',
      input: [{ type: 'item_reference', id: 'msg_68a7c1d2e3f4051600001199' }],
    });
    await rig.expectNobodys(`${base}/responses`, respond(theirs));
    await rig.expectNobodys(`${base}/responses`, respond('resp_68a7c1d2e3f40516y'));
  });

  it('gives no key the objects that a client names in its own file', async () => {
    await rig.make(`${base}/files/${INPUT}/content`, undefined, new Lines([responseLine(theirs)]));
    await rig.expectNobodys(`${base}/responses`, respond(theirs));
    // Nor does a batch's metadata make such a file one of its results.
    const batch = { id: BATCH, object: 'batch', metadata: { output_file_id: INPUT } };
    await rig.make(`${base}/batches/${BATCH}`, undefined, batch);
    await rig.make(`${base}/files/${INPUT}/content`, undefined, new Lines([responseLine(theirs)]));
    await rig.expectNobodys(`${base}/responses`, respond(theirs));
  });
});

describe('a batch of messages', () => {
  it.each([
    ['application/x-jsonl', 'A'],
    ['application/jsonl', 'B'],
    ['application/binary', 'C'],
  ])('lets its key use their containers: %s', async (type, last) => {
    const batches = '/anthropic/v1/messages/batches';
    const id = `msgbatch_013Zva2CMHLNnXjNJJKqJ2E${last}`;
    await rig.make(batches, { requests: [] }, { id, type: 'message_batch' });
    const container = { id: `container_011CPR5CNjB747bTd36fQLF${last}`, expires_at: 'later' };
    const message = { type: 'message', id: 'msg_1', content: [], container };
    const line = { custom_id: 'a', result: { type: 'succeeded', message } };
    await rig.make(`${batches}/${id}/results`, undefined, new Lines([line], type));
    await rig.expectAdas('/anthropic/v1/messages', {
      ...{ model: 'claude-sonnet-4-5', max_tokens: 9, container: container.id },
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect((await rig.ask(rig.bob, `${batches}/${id}/results`)).status).toBe(404);
  });
});
