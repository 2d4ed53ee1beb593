import { describe, expect, it } from 'vitest';
import { stepsThrough } from './wire-rig.ts';

const GEMINI = '/v1beta/models/gemini-2.5-pro:streamGenerateContent';
const CHAT = '/v1/chat/completions';
const MAIL = ['jane.doe', 'mail.example.com'].join('@');

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
}

interface GeminiChunk {
  readonly candidates: readonly { readonly content: { readonly parts?: readonly Part[] } }[];
}

const gemini = (parts: readonly object[], more: object = {}): object => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
  modelVersion: 'gemini-2.5-pro',
});
const words = (text: string, more?: object): object => gemini([{ text }], more);
const STOP = { finishReason: 'STOP' };

function partsOf(sent: readonly unknown[]): readonly Part[] {
  return (sent as GeminiChunk[]).flatMap(({ candidates }) =>
    candidates.flatMap(({ content }) => content.parts ?? []),
  );
}

/** Every way to cut a text into as many pieces. */
function* cutsOf(text: string, pieces: number): Generator<string[], void> {
  if (pieces === 1) {
    yield [text];
    return;
  }
  for (let at = 1; at <= text.length - pieces + 1; at += 1) {
    for (const rest of cutsOf(text.slice(at), pieces - 1)) yield [text.slice(0, at), ...rest];
  }
}

describe('a Gemini event whose text is held back', () => {
  it('is not sent without its text', async () => {
    const steps = await stepsThrough('gemini', GEMINI, [words('Hello'), words(' there'), words('.', STOP)]);
    expect(steps[0]).toEqual([]);
    const sent = steps.flat();
    expect(partsOf(sent)).toEqual([{ text: 'Hello ' }, { text: 'there.' }]);
    expect(sent.at(-1)).toEqual(words('there.', STOP));
  });

  it('never has an empty part, at any cut and with any masks', async () => {
    for (const text of [`Mail ${MAIL} now.`, MAIL, `${MAIL} ${MAIL}`, 'One two']) {
      for (const pieces of cutsOf(text, 3)) {
        const events = pieces.map((piece, at) => words(piece, at === pieces.length - 1 ? STOP : {}));
        const sent = (await stepsThrough('gemini', GEMINI, events)).flat();
        const parts = partsOf(sent);
        expect(parts.map((part) => part.text).join('')).toBe(text.replaceAll(MAIL, '***'));
        expect(parts.filter((part) => part.text === '')).toEqual([]);
        // Clients that look for a finish reason find it in an event with text.
        expect(sent.at(-1)).toMatchObject({ candidates: [STOP] });
        expect(partsOf(sent.slice(-1))).toHaveLength(1);
      }
    }
  });

  it('is held back if it contains something else', async () => {
    const cited = { citationMetadata: { citationSources: [{ startIndex: 0, endIndex: 5 }] } };
    const [first, second] = await stepsThrough('gemini', GEMINI, [words('Hello', cited), words(' you, ')]);
    expect(first).toEqual([]);
    expect(second).toEqual([words('Hello', cited), words(' you, ')]);
  });

  it('loses the emptied part, and keeps the others in place', async () => {
    const event = gemini([{ text: 'I see ', thought: true }, { text: 'Hello' }]);
    const [first] = await stepsThrough('gemini', GEMINI, [event, words(' you.', STOP)], 2);
    expect(partsOf(first ?? [])).toEqual([{ text: 'I see ', thought: true }]);
  });

  it('keeps the signature of a part whose text is emptied', async () => {
    const signed = gemini([{ text: MAIL.slice(4), thoughtSignature: 'c2lnbmVk' }, { text: ' it is.' }]);
    const sent = (await stepsThrough('gemini', GEMINI, [words(MAIL.slice(0, 4)), signed])).flat();
    expect(partsOf(sent)).toContainEqual(expect.objectContaining({ thoughtSignature: 'c2lnbmVk' }));
    expect(partsOf(sent).filter(({ text }) => text === '')).toEqual([]);
  });

  it('gives later rewriters the right places', async () => {
    const parts = [{ text: 'Hello' }, { executableCode: { language: 'PYTHON', code: `print("${MAIL}")` } }];
    for (const rewriters of [1, 2, 3]) {
      const steps = await stepsThrough('gemini', GEMINI, [gemini(parts), words(' you.', STOP)], rewriters);
      const sent = JSON.stringify(steps);
      expect(sent).toContain('print(\\"***\\")');
      expect(sent).not.toContain('"text":""');
    }
  });
});

describe('a chat event whose text is held back', () => {
  const chat = (delta: object, more: object = {}): object => ({
    id: 'c1',
    choices: [{ index: 0, delta, finish_reason: null }],
    ...more,
  });

  it('is not sent without its text, unless it has the role', async () => {
    const steps = await stepsThrough('openai', CHAT, [
      chat({ role: 'assistant', content: 'Hel' }),
      chat({ content: 'lo' }),
      chat({ role: 'assistant', content: 'you' }),
      chat({ content: '!' }),
    ]);
    expect(steps).toEqual([
      [chat({ role: 'assistant', content: '' })],
      [],
      [],
      [chat({ content: 'Helloyou!' })],
      [],
    ]);
  });

  it('is sent with its other content, such as the name of a tool', async () => {
    const call = chat({
      tool_calls: [
        { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":"b' } },
      ],
    });
    const more = chat({ tool_calls: [{ index: 0, function: { arguments: 'c' } }] });
    const steps = await stepsThrough('openai', CHAT, [call, more, more]);
    expect(steps[0]).toHaveLength(1);
    expect(JSON.stringify(steps[0])).toContain('"name":"f"');
    expect(steps.slice(1, 3)).toEqual([[], []]);
  });

  it('does not delay the stream if its text never ends', async () => {
    const long = Array.from({ length: 6000 }, () => chat({ content: 'x' }));
    const steps = await stepsThrough('openai', CHAT, [
      chat({ content: 'Say ' }),
      ...long,
      chat({ content: '.' }),
    ]);
    const text = (steps.flat() as { choices: { delta: { content: string } }[] }[])
      .map(({ choices: [choice] }) => choice?.delta.content)
      .join('');
    expect(text).toBe(`Say ${'x'.repeat(6000)}.`);
  });
});
