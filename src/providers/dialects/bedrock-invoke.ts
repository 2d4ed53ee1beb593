import { GatewayError } from '../../errors.ts';
import type { Frame } from '../../streams/frame.ts';
import type { Dialect, JsonObject, StreamEvent, StreamReader, Usage } from '../provider.ts';
import { cacheApart, isException } from './bedrock-answer.ts';
import { familyOf } from './bedrock-families.ts';
import type { InvokeFamily } from './bedrock-prompts.ts';
import { bedrockCut } from './cuts.ts';
import { objectOf, parseData } from './fields.ts';

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

/**
 * Reads `chunk` events, whose payload `{bytes}` is a base64 JSON document of the family's own; the last one
 * carries Bedrock's own metrics.
 */
function createInvokeReader(family: InvokeFamily): StreamReader {
  const reader = family.createReader();
  let own: Usage | undefined;
  return {
    read(frame: Frame): StreamEvent {
      const payload = parseData(frame.data);
      if (typeof payload.bytes !== 'string') {
        return { frame, deltas: [], ...(isException(frame.event ?? '') ? { failed: true } : {}) };
      }
      const json = Buffer.from(payload.bytes, 'base64').toString('utf8');
      const event = reader.read({ raw: frame.raw, data: json });
      const metrics = parseData(json)['amazon-bedrock-invocationMetrics'];
      own = event.usage ?? own;
      const usage = metrics === undefined ? event.usage : settledUsage(objectOf(metrics), own);
      return {
        ...event,
        frame,
        inner: {
          json,
          pack: (changed) =>
            JSON.stringify({ ...payload, bytes: Buffer.from(changed, 'utf8').toString('base64') }),
        },
        ...(usage === undefined ? {} : { usage }),
        ...(metrics === undefined ? {} : { done: true }),
      };
    },
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
