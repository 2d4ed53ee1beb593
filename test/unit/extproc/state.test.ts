import { describe, expect, it } from 'vitest';
import { newAnswer } from '../../../src/answers/new-answer.ts';
import { createContext, outcomeNow, type StreamContext } from '../../../src/extproc/context.ts';
import { handle } from '../../../src/extproc/handle.ts';
import type { EdgeServices } from '../../../src/extproc/services.ts';
import { outcomeOf, undone, type State } from '../../../src/extproc/state.ts';
import { processingRequest } from '../../../src/extproc/wire/messages.ts';
import type { AnswerStream } from '../../../src/answers/answer-stream.ts';
import type { Answered, Identified, Outcome } from '../../../src/pipeline/exchange.ts';
import type { Run } from '../../../src/pipeline/run.ts';
import type { Target } from '../../../src/routing/target.ts';
import { parsed } from '../../support/exchange.ts';

const run = {} as Run;
const target = {} as Target;
const stream = {} as AnswerStream;
const exchange = parsed({ body: { model: 'm', messages: [] } });

function answered(origin: Answered['origin'], complete = false): Answered {
  const head = { origin, status: 200, answerHeaders: new Map(), form: 'whole' } as const;
  return { ...exchange, ...head, answer: { ...newAnswer(), complete } };
}

const open = { exchange: answered('provider'), parsed: exchange, run };
const seen = { exchange: answered('provider', true), parsed: exchange, run };
const NOT_FORWARDED: Outcome = { kind: 'not_forwarded' };
const COMPLETE: Outcome = { kind: 'complete' };
const BROKEN_OFF: Outcome = { kind: 'broken_off' };

const OUTCOMES: readonly (readonly [string, State, Outcome])[] = [
  ['nothing has arrived', { at: 'opened' }, NOT_FORWARDED],
  ['no key is known', { at: 'received' }, NOT_FORWARDED],
  ['the gateway has answered without a key', { at: 'replied' }, NOT_FORWARDED],
  ['the key is valid', { at: 'admitted', exchange }, NOT_FORWARDED],
  [
    'the route is known',
    {
      at: 'identified',
      exchange: exchange as Identified,
      run,
      target,
      rawKey: '',
      ownRefusal: undefined,
      unreadId: null,
    },
    NOT_FORWARDED,
  ],
  ['the checks are running', { at: 'parsed', exchange, run, target }, NOT_FORWARDED],
  ['no answer was seen', { at: 'forwarded', exchange, run, target }, { kind: 'lost' }],
  ['the gateway waits for the body', { at: 'answering', ...open }, { kind: 'lost' }],
  ['the body has arrived', { at: 'answering', ...seen }, COMPLETE],
  ['the headers of a stream are judged', { at: 'opening', ...open }, BROKEN_OFF],
  ['a stream is running', { at: 'streaming', ...open, stream }, BROKEN_OFF],
  ['a stream’s end marker was seen', { at: 'streaming', ...seen, stream }, COMPLETE],
  ['a stream ended without its end marker', { at: 'streamed', ...open, stream }, BROKEN_OFF],
  ['a stream ended with its end marker', { at: 'streamed', ...seen, stream }, COMPLETE],
  ['the answer was sent', { at: 'answered', ...seen }, COMPLETE],
  [
    'the provider could not be reached',
    { at: 'answered', ...open, exchange: answered('not_connected') },
    { kind: 'not_forwarded', upstreamFailed: true },
  ],
  [
    'the answer was lost',
    { at: 'answered', ...open, exchange: answered('lost') },
    { kind: 'lost', upstreamFailed: true },
  ],
];

describe('an exchange that ends', () => {
  it.each(OUTCOMES)('when %s has the outcome of its state', (_, state, outcome) => {
    expect(outcomeOf(state, false)).toEqual(outcome);
  });

  it.each(OUTCOMES)(
    'when %s and the provider was too slow, blames the provider only if an answer was due',
    (_, state, outcome) => {
      const isOwed = outcome.kind === 'lost';
      expect(outcomeOf(state, true)).toEqual(isOwed ? { kind: 'lost', upstreamFailed: true } : outcome);
    },
  );

  it('before Envoy gets the verdict was not forwarded', () => {
    const state = undone({ at: 'forwarded', exchange, run, target });
    expect(outcomeOf(state, false)).toEqual(NOT_FORWARDED);
    expect(state).toEqual({ at: 'parsed', exchange, run, target });
  });
});

describe('a message in the wrong order', () => {
  function at(state: State, ended: Outcome[] = []): StreamContext {
    const settings = {
      upstreamTimeoutMs: 1_000,
      stripTelemetry: false,
      errorFormat: 'gateway',
      refusalDetails: 'full',
      allowedOrigins: [],
    };
    const context = createContext({ settings } as unknown as EdgeServices);
    const ending = {
      end: (_exchange: unknown, outcome: Outcome) => {
        ended.push(outcome);
        return Promise.resolve();
      },
    } as unknown as Run;
    context.state = 'run' in state ? { ...state, run: ending } : state;
    return context;
  }
  const headers = [[':status', '503']] as const;

  it.each(OUTCOMES.filter(([, state]) => state.at !== 'identified'))(
    'fails closed: a body when %s',
    (_, state) => {
      expect(() => handle(at(state), processingRequest('request_body'))).toThrow('before its headers');
    },
  );

  // Found by `npm run fuzz -- --surface ext-proc --seed 7008`.
  it.each(OUTCOMES.filter(([, state]) => state.at !== 'opened'))(
    'fails closed: request headers when %s',
    (_, state) => {
      const context = at(state);
      expect(() => handle(context, processingRequest('request_headers'))).toThrow('arrived twice');
      expect(context.state.at).toBe(state.at);
    },
  );

  it.each(OUTCOMES.slice(0, 6))('gets no verdict: answer headers when %s', async (_, state) => {
    const context = at(state);
    const reply = await handle(context, processingRequest('response_headers', { headers }));
    expect(reply).toEqual({ response_headers: { response: {} } });
    expect(context.state.at).toBe(state.at);
  });

  it('may be Envoy’s own reply to a broken answer, and counts as no answer', async () => {
    const ended: Outcome[] = [];
    const context = at({ at: 'answering', ...open }, ended);
    const attributes = new Map([['response.code_details', 'upstream_reset_after_response_started']]);
    await handle(context, processingRequest('response_headers', { headers, attributes }));
    expect(ended).toEqual([{ kind: 'lost', upstreamFailed: true }]);
    expect(context.state).toMatchObject({ at: 'answered', exchange: { origin: 'lost', status: 503 } });
    expect(outcomeNow(context)).toEqual({ kind: 'lost', upstreamFailed: true });
  });
});
