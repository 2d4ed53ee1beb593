import { describe, expect, it } from 'vitest';
import { geminiGenerate } from '../../../../src/providers/dialects/gemini-generate.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { jsonArray } from '../../../../src/streams/json-array.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { readCutAtEachByte } from '../../../support/read-stream.ts';

describe('gemini answers', () => {
  it.each<[string, JsonObject, JsonObject | undefined]>([
    [
      'thoughts, cached and tool tokens',
      {
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        candidatesTokenCount: 10,
        thoughtsTokenCount: 5,
        toolUsePromptTokenCount: 7,
        totalTokenCount: 122,
      },
      { inputTokens: 107, outputTokens: 15, cacheReadTokens: 40, reasoningTokens: 5 },
    ],
    [
      'audio by modality',
      {
        promptTokenCount: 30,
        candidatesTokenCount: 8,
        promptTokensDetails: [
          { modality: 'AUDIO', tokenCount: 25 },
          { modality: 'TEXT', tokenCount: 5 },
        ],
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 8 }],
      },
      { inputTokens: 30, outputTokens: 8, inputAudioTokens: 25, outputAudioTokens: 8 },
    ],
    ['an omitted count of zero', { promptTokenCount: 3 }, { inputTokens: 3, outputTokens: 0 }],
    [
      'a count that only the total implies',
      { promptTokenCount: 3, totalTokenCount: 90 },
      { inputTokens: 3, outputTokens: 87 },
    ],
    ['a negative count', { promptTokenCount: 3, candidatesTokenCount: -1 }, undefined],
    ['nothing', {}, undefined],
  ])('with %s have the right usage', (_, usageMetadata, expected) => {
    const { usage } = geminiGenerate.answer({ usageMetadata });
    if (expected === undefined) expect(usage).toBeUndefined();
    else expect(usage).toMatchObject(expected);
  });

  it('are read for text, thoughts, calls and code', () => {
    const parts = [
      { text: 'hm', thought: true },
      { text: 'hello' },
      { functionCall: { name: 'f', args: { a: 'b' } } },
      { executableCode: { code: 'print(1)' } },
    ];
    const found = geminiGenerate.answer({ candidates: [{ content: { parts } }] }).texts;
    expect(
      found.filter((text) => text.editable === undefined).map(({ kind, text }) => `${kind}: ${text}`),
    ).toEqual([
      'reasoning: hm',
      'text: hello',
      'tool_arguments: f',
      'tool_arguments: b',
      'tool_arguments: print(1)',
    ]);
  });
});

const RESPONSES = [
  {
    candidates: [{ content: { parts: [{ text: 'hm', thought: true }] }, index: 0 }],
    usageMetadata: { promptTokenCount: 9 },
  },
  { candidates: [{ content: { parts: [{ text: 'Grüße ' }] }, index: 0 }] },
  {
    candidates: [{ content: { parts: [{ text: '🙂 "]"' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, thoughtsTokenCount: 2 },
  },
];

const EXPECTED = {
  texts: { '0/reasoning': 'hm', '0/text': 'Grüße 🙂 "]"' },
  usage: { inputTokens: 9, outputTokens: 6, cacheReadTokens: 0, reasoningTokens: 2 },
  done: true,
  failed: false,
};

describe('gemini streams', () => {
  it('as SSE are read the same at any cut', () => {
    const bytes = Buffer.from(RESPONSES.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`).join(''));
    expect(readCutAtEachByte(sse, geminiGenerate.stream, bytes)).toEqual([EXPECTED]);
  });

  it('as a JSON array are read the same at any cut', () => {
    const bytes = Buffer.from(JSON.stringify(RESPONSES, undefined, 1));
    expect(readCutAtEachByte(jsonArray, geminiGenerate.stream, bytes)).toEqual([EXPECTED]);
  });

  it('are complete only with every candidate', () => {
    const reader = geminiGenerate.stream();
    function say(candidates: readonly JsonObject[]) {
      const data = JSON.stringify({ candidates });
      return reader?.read({ raw: Buffer.from(data), data }).done;
    }
    expect(say([{ index: 0 }, { index: 1 }])).toBeUndefined();
    expect(say([{ index: 0, finishReason: 'STOP' }])).toBeUndefined();
    expect(say([{ index: 1, finishReason: 'STOP' }])).toBe(true);
  });

  it('are complete after a blocked prompt, and failed after an error', () => {
    const read = (data: string) => geminiGenerate.stream()?.read({ raw: Buffer.from(data), data });
    expect(read('{"promptFeedback":{"blockReason":"SAFETY"}}')?.done).toBe(true);
    expect(read('{"error":{"code":503}}')?.failed).toBe(true);
  });
});
