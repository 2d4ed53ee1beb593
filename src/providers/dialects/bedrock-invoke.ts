import { GatewayError } from '../../errors.ts';
import type { Frame } from '../../streams/frame.ts';
import { stepsOf, stepwise, type Work } from '../../turns.ts';
import type { Dialect, InnerPayload, JsonObject, StreamEvent, StreamReader, Usage } from '../provider.ts';
import { isException } from './bedrock-answer.ts';
import { familyOf } from './bedrock-families.ts';
import type { InvokeFamily } from './bedrock-prompts.ts';
import { bedrockCut } from './error-frames.ts';
import { cacheApart, objectOf, parseJson } from './fields.ts';

/**
 * The dialect of `POST /model/<id>/invoke` (`stream`: `/invoke-with-response-stream`) for this model: the body
 * is the model family's own. Undefined where the family is not known, so that its bodies cannot be read.
 */
export function bedrockInvoke(model: string, stream: boolean): Dialect | undefined {
  const family = familyOf(model);
  if (family === undefined) return undefined;
  const { name } = family;
  return {
    name: `bedrock-invoke-${name}`,
    hasBody: true,
    request(body, endpoint) {
      if (name === 'anthropic-by-body') requireAnthropicBody(body);
      return { ...family.request(body, endpoint), stream };
    },
    answer: family.answer,
    stream: () => createInvokeReader(family),
  };
}

/** An application's own profile does not say which model it stands for; its body must. */
function requireAnthropicBody(body: JsonObject): void {
  if (typeof body.anthropic_version === 'string') return;
  throw new GatewayError(
    'policy_denied',
    'The body format of this model cannot be told from its ARN: use converse, or name the model itself.',
  );
}

/** Against those who watch lengths. */
const PADDING = /^[A-Za-z0-9]{1,64}$/;

/**
 * Reads `chunk` events, whose payload `{bytes}` is a base64 JSON document of the family's own; the last one
 * carries Bedrock's own metrics.
 */
function createInvokeReader(family: InvokeFamily): StreamReader {
  const reader = family.stream();
  let own: Usage | undefined;
  return {
    read: stepwise(function* (frame: Frame): Work<StreamEvent> {
      const outer = parseJson(frame.data);
      const { bytes, p } = objectOf(outer);
      if (typeof bytes !== 'string') {
        return {
          frame,
          json: outer,
          deltas: [],
          ...(isException(frame.event ?? '') ? { failed: true } : {}),
        };
      }
      const json = Buffer.from(bytes, 'base64').toString('utf8');
      const event = yield* stepsOf(reader.read, { raw: frame.raw, data: json });
      const pack: InnerPayload['pack'] = (changed) =>
        JSON.stringify({
          bytes: Buffer.from(changed).toString('base64'),
          ...(typeof p === 'string' && PADDING.test(p) && { p }),
        });
      const metrics = objectOf(event.json)['amazon-bedrock-invocationMetrics'];
      own = event.usage ?? own;
      const usage = metrics === undefined ? event.usage : settledUsage(objectOf(metrics), own);
      return {
        ...event,
        // The same document with nothing beside it, and no bytes in it that are no text.
        frame: { ...frame, data: pack(json) },
        inner: { json, pack },
        ...(usage === undefined ? {} : { usage }),
        ...(metrics === undefined ? {} : { done: true, ends: ['*'] }),
      };
    }),
    cut: bedrockCut,
  };
}

/** Bedrock's metrics, or the family's own usage where it says the same in more detail. */
function settledUsage(metrics: JsonObject, own: Usage | undefined): Usage | undefined {
  const billed = cacheApart(
    metrics.inputTokenCount,
    metrics.outputTokenCount,
    metrics.cacheReadInputTokenCount,
    metrics.cacheWriteInputTokenCount,
  );
  const agree = billed?.inputTokens === own?.inputTokens && billed?.outputTokens === own?.outputTokens;
  return billed === undefined || agree ? own : billed;
}
