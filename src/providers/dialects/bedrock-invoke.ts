import { GatewayError } from '../../errors.ts';
import type { Frame } from '../../streams/frame.ts';
import { stepsOf, stepwise, type Work } from '../../turns.ts';
import type { Dialect, InnerPayload, JsonObject, StreamEvent, StreamReader, Usage } from '../dialect.ts';
import { isException } from './bedrock-answer.ts';
import { familyOf } from './bedrock-families.ts';
import type { InvokeFamily } from './bedrock-prompts.ts';
import { bedrockCut } from './error-frames.ts';
import { cacheApart, objectOf, parseJson } from './fields.ts';

/**
 * Returns the dialect of `POST /model/<id>/invoke` for this model, or of `/invoke-with-response-stream` if `stream`
 * is set. The body is in the model family's own format. Returns undefined if the family is unknown, since its bodies
 * cannot be read.
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

/** An application inference profile's ARN does not reveal its model, so the body must. */
function requireAnthropicBody(body: JsonObject): void {
  if (typeof body.anthropic_version === 'string') return;
  throw new GatewayError(
    'policy_denied',
    'This ARN does not reveal the body format of its model. Use Converse, or the id of the model itself.',
  );
}

/** Bedrock's random padding, which hides lengths from eavesdroppers. */
const PADDING = /^[A-Za-z0-9]{1,64}$/;

/** Reads `chunk` events: base64 JSON of the family, and Bedrock's metrics in the last one. */
function createInvokeReader(family: InvokeFamily): StreamReader {
  const reader = family.stream();
  let own: Usage | undefined;
  return {
    read: stepwise(function* (frame: Frame): Work<StreamEvent> {
      const outer = parseJson(frame);
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
        // Repacked to drop unknown members, and bytes that are not text.
        frame: { ...frame, data: pack(json) },
        inner: { json, pack },
        ...(usage === undefined ? {} : { usage }),
        ...(metrics === undefined ? {} : { done: true, ends: ['*'] }),
      };
    }),
    cut: bedrockCut,
  };
}

/** Returns Bedrock's metrics, or the family's own usage if it agrees, since that is more detailed. */
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
