import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startSharedAccounts, type SharedAccounts } from './rig.ts';

/** Clients find all objects of their key, although pages of the provider are full of others' objects. */

/** Ada's are the first and the last, so pages between them have none of hers. */
const ALL = Array.from({ length: 11 }, (_, index) => `68a7c1d2e3f40516${String(index).padStart(4, '0')}`);
const OWN = [ALL[0] ?? '', ALL.at(-1) ?? ''];
const PAGE = 2;

let rig: SharedAccounts;
beforeAll(async () => {
  rig = await startSharedAccounts({
    unknown_endpoints: [
      'POST /openai/v1/vector_stores',
      'GET /openai/v1/vector_stores',
      'POST /anthropic/v1/messages/batches',
      'GET /anthropic/v1/messages/batches',
      'POST /gemini/v1beta/cachedContents',
      'GET /gemini/v1beta/cachedContents',
      'POST /xai/v1/batches',
      'GET /xai/v1/batches',
    ],
  });
});
afterAll(() => rig.close());
afterEach(() => {
  rig.account.fixed = undefined;
});

/** A page behind the object `after`. */
function pageAfter(after: string | null, idOf: (id: string) => string) {
  const from = after === null ? 0 : ALL.findIndex((id) => idOf(id) === after) + 1;
  const data = ALL.slice(from, from + PAGE).map((id) => ({ id: idOf(id), object: 'any' }));
  const ends = { first_id: data[0]?.id, last_id: data.at(-1)?.id };
  return { object: 'list', data, ...ends, has_more: from + PAGE < ALL.length };
}

async function idsOf(list: AsyncIterable<unknown>, member = 'id'): Promise<unknown[]> {
  const ids: unknown[] = [];
  for await (const element of list) ids.push((element as Record<string, unknown>)[member]);
  return ids;
}

describe('a client that pages by itself finds all of its objects', () => {
  it('OpenAI’s', async () => {
    const idOf = (id: string): string => `vs_${id}`;
    for (const id of OWN) await rig.make('/openai/v1/vector_stores', { name: 'x' }, { id: idOf(id) });
    rig.account.fixed = (query: URLSearchParams) => pageAfter(query.get('after'), idOf);
    const options = { baseURL: `${rig.gateway.baseUrl}/openai/v1`, maxRetries: 0 };
    const ada = new OpenAI({ ...options, apiKey: rig.ada.rawKey });
    expect(await idsOf(ada.vectorStores.list())).toEqual(OWN.map(idOf));
    expect(await idsOf(ada.vectorStores.list({ limit: 5, order: 'asc' }))).toEqual(OWN.map(idOf));
    expect(await idsOf(new OpenAI({ ...options, apiKey: rig.bob.rawKey }).vectorStores.list())).toEqual([]);
  });

  it('Anthropic’s', async () => {
    const idOf = (id: string): string => `msgbatch_${id}`;
    const path = '/anthropic/v1/messages/batches';
    for (const id of OWN) await rig.make(path, { requests: [] }, { id: idOf(id) });
    rig.account.fixed = (query: URLSearchParams) => pageAfter(query.get('after_id'), idOf);
    const baseURL = `${rig.gateway.baseUrl}/anthropic`;
    const client = new Anthropic({ apiKey: rig.ada.rawKey, baseURL, maxRetries: 0 });
    expect(await idsOf(client.messages.batches.list())).toEqual(OWN.map(idOf));
  });

  it('Google’s', async () => {
    const idOf = (id: string): string => `cachedContents/${id}`;
    for (const id of OWN) {
      const model = 'models/gemini-2.5-flash';
      await rig.make('/gemini/v1beta/cachedContents', { model }, { name: idOf(id) });
    }
    rig.account.fixed = (query: URLSearchParams) => {
      const { data, has_more } = pageAfter(query.get('pageToken'), idOf);
      const cachedContents = data.map(({ id: name }) => ({ name }));
      return { cachedContents, ...(has_more && { nextPageToken: data.at(-1)?.id }) };
    };
    const client = new GoogleGenAI({
      apiKey: rig.ada.rawKey,
      apiVersion: 'v1beta',
      httpOptions: { baseUrl: `${rig.gateway.baseUrl}/gemini` },
    });
    const list = await client.caches.list({ config: { pageSize: PAGE } });
    expect(await idsOf(list, 'name')).toEqual(OWN.map(idOf));
  });
});

describe('a page', () => {
  it('with only others’ objects redirects to the next, and shows none of them', async () => {
    const idOf = (id: string): string => `batch_${id}`;
    for (const id of OWN) await rig.make('/xai/v1/batches', { name: 'x' }, { batch_id: idOf(id) });
    rig.account.fixed = (query: URLSearchParams) => {
      const { data, has_more } = pageAfter(query.get('pagination_token'), idOf);
      const batches = data.map(({ id: batch_id }) => ({ batch_id, name: 'secret' }));
      return { batches, pagination_token: has_more ? data.at(-1)?.id : null };
    };
    const first = await rig.ask(rig.bob, '/xai/v1/batches?limit=2');
    expect(first.status).toBe(307);
    expect(first.headers.location).toBe(`?limit=2&pagination_token=${idOf(ALL[1] ?? '')}`);
    expect(first.body).not.toContain('secret');
    const last = `/xai/v1/batches?pagination_token=${idOf(ALL[9] ?? '')}`;
    const { body } = await rig.ask(rig.ada, last);
    expect(JSON.parse(body)).toEqual({
      batches: [{ batch_id: idOf(OWN[1] ?? ''), name: 'secret' }],
      pagination_token: null,
    });
    const none = await rig.ask(rig.bob, last);
    expect([none.status, JSON.parse(none.body)]).toEqual([200, { batches: [], pagination_token: null }]);
  });

  it('begins and ends with an object of the key', async () => {
    const idOf = (id: string): string => `vs_${id}`;
    await rig.make('/openai/v1/vector_stores', { name: 'x' }, { id: idOf(OWN[0] ?? '') });
    rig.account.fixed = (query: URLSearchParams) => pageAfter(query.get('after'), idOf);
    const { body } = await rig.ask(rig.ada, '/openai/v1/vector_stores');
    const own = { id: idOf(OWN[0] ?? ''), object: 'any' };
    const ends = { first_id: own.id, last_id: own.id };
    expect(JSON.parse(body)).toEqual({ object: 'list', data: [own], ...ends, has_more: true });
  });
});
