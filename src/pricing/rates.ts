import type { ModelInfo } from '@pydantic/genai-prices';
import type { CoreConfig } from '../config/core.ts';
import type { Usage } from '../providers/dialect.ts';

export type PriceOverride = CoreConfig['pricing']['overrides'][string];

/** Rates of one price tier, in nano-USD per token. */
export interface Rates {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  /** Undefined if the model has no audio price; audio would be billed as text. */
  readonly inputAudio: number | undefined;
  readonly output: number;
  readonly reasoning: number;
  /** This and the next two are undefined if the model has no such price; the output would be billed as text. */
  readonly outputAudio: number | undefined;
  readonly outputImage: number | undefined;
  readonly outputVideo: number | undefined;
  /** Per call, regardless of tokens. */
  readonly request: number;
}

/** A price version: rates by input size, and period of validity. */
export interface PricePeriod {
  /** Ascending. A tier applies to calls with more input tokens than `above`. */
  readonly tiers: readonly { readonly above: number; readonly rates: Rates }[];
  readonly from?: number;
  /** Daily validity, in milliseconds after midnight UTC. Spans midnight if `end` is before `start`. */
  readonly hours?: { readonly start: number; readonly end: number };
}

type TablePrices = Exclude<ModelInfo['prices'], readonly unknown[]>;
type TablePrice = TablePrices[string];

const DAY_MS = 86_400_000;

/** Returns a model's prices from the table, or undefined if it is not billed by tokens (audio hours, pages). */
export function periodsOf(model: ModelInfo): PricePeriod[] | undefined {
  const listed = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
  const periods = listed.map(({ constraint, prices }): PricePeriod | undefined => {
    const tiers = tiersOf(prices, model.id);
    if (tiers === undefined || constraint === undefined) {
      return tiers && { tiers };
    }
    return constraint.type === 'start_date'
      ? { tiers, from: Date.parse(constraint.start_date) }
      : { tiers, hours: { start: timeOfDay(constraint.start_time), end: timeOfDay(constraint.end_time) } };
  });
  return periods.every((period) => period !== undefined) ? periods : undefined;
}

export function overriddenPeriods(
  table: PricePeriod[] | undefined,
  override: PriceOverride,
): PricePeriod[] | undefined {
  const setsPrice =
    override.input !== undefined || override.output !== undefined || override.request !== undefined;
  if (table === undefined) return setsPrice ? flat(overriddenRates(TEXT_ONLY, override)) : undefined;
  return withRates(table, (rates) => overriddenRates(rates, override));
}

export function flat(rates: Rates): PricePeriod[] {
  return [{ tiers: [{ above: -1, rates }] }];
}

export function multiplied(periods: readonly PricePeriod[], times: number): PricePeriod[] {
  return withRates(periods, (rates) => ratesTimes(rates, times));
}

function withRates(periods: readonly PricePeriod[], change: (rates: Rates) => Rates): PricePeriod[] {
  return periods.map((period) => ({
    ...period,
    tiers: period.tiers.map(({ above, rates }) => ({ above, rates: change(rates) })),
  }));
}

function ratesTimes(rates: Rates, times: number): Rates {
  const maybeTimes = (rate: number | undefined) => (rate === undefined ? undefined : rate * times);
  return {
    input: rates.input * times,
    cacheRead: rates.cacheRead * times,
    cacheWrite: rates.cacheWrite * times,
    cacheWrite1h: rates.cacheWrite1h * times,
    inputAudio: maybeTimes(rates.inputAudio),
    output: rates.output * times,
    reasoning: rates.reasoning * times,
    outputAudio: maybeTimes(rates.outputAudio),
    outputImage: maybeTimes(rates.outputImage),
    outputVideo: maybeTimes(rates.outputVideo),
    request: Math.ceil(rates.request * times),
  };
}

export const FREE: Rates = {
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  inputAudio: 0,
  output: 0,
  reasoning: 0,
  outputAudio: 0,
  outputImage: 0,
  outputVideo: 0,
  request: 0,
};

/** Text is free; audio, images and video have no price. */
export const TEXT_ONLY: Rates = {
  ...FREE,
  inputAudio: undefined,
  outputAudio: undefined,
  outputImage: undefined,
  outputVideo: undefined,
};

/** Returns the price valid at a time: the last applicable one in table order, or else the first. */
export function periodAt(periods: readonly PricePeriod[], at: Date): PricePeriod | undefined {
  if (periods.length === 1) return periods[0];
  const now = at.getTime();
  for (let i = periods.length - 1; i > 0; i--) {
    const period = periods[i];
    if (period !== undefined && holds(period, now)) return period;
  }
  return periods[0];
}

/** Returns all prices that can apply now or later, without those permanently replaced. */
export function periodsFrom(periods: readonly PricePeriod[], now: number): PricePeriod[] {
  const possible: PricePeriod[] = [];
  for (let i = periods.length - 1; i >= 0; i--) {
    const period = periods[i];
    if (period !== undefined) {
      possible.push(period);
      if (period.hours === undefined && (period.from ?? 0) <= now) break;
    }
  }
  return possible;
}

/** Returns the cost of usage in nano-USD, before rounding. Invalid counts are treated as zero. */
export function costOf(rates: Rates, usage: Usage): number {
  const input = tokens(usage.inputTokens);
  let rest = input;
  function part(wanted: number | undefined): number {
    const taken = Math.min(tokens(wanted), rest);
    rest -= taken;
    return taken;
  }
  // Audio is charged first, because usage does not report how much of the cached input is audio, which costs more than
  // text even when cached.
  const inputCost =
    part(usage.inputAudioTokens) * (rates.inputAudio ?? rates.input) +
    part(usage.cacheReadTokens) * rates.cacheRead +
    part(usage.cacheWrite1hTokens) * rates.cacheWrite1h +
    part(usage.cacheWriteTokens) * rates.cacheWrite +
    rest * rates.input;
  rest = tokens(usage.outputTokens);
  const outputCost =
    part(usage.outputAudioTokens) * (rates.outputAudio ?? rates.output) +
    part(usage.reasoningTokens) * rates.reasoning +
    // Usage does not distinguish text, images and video, so all cost the highest of the three rates.
    rest * Math.max(rates.output, rates.outputImage ?? 0, rates.outputVideo ?? 0);
  return inputCost + outputCost + rates.request;
}

export function tierFor(period: PricePeriod, inputTokens: number): Rates {
  let rates = period.tiers[0]?.rates ?? FREE;
  for (const tier of period.tiers) {
    if (inputTokens > tier.above) rates = tier.rates;
  }
  return rates;
}

export function worstInput(rates: Rates): number {
  return Math.max(rates.input, rates.cacheRead, rates.cacheWrite, rates.cacheWrite1h);
}

export function worstOutput(rates: Rates): number {
  const { output, reasoning, outputAudio = 0, outputImage = 0, outputVideo = 0 } = rates;
  return Math.max(output, reasoning, outputAudio, outputImage, outputVideo);
}

function holds({ from, hours }: PricePeriod, now: number): boolean {
  if (hours === undefined) return now >= (from ?? 0);
  const time = now % DAY_MS;
  return hours.end < hours.start
    ? time >= hours.start || time < hours.end
    : time >= hours.start && time < hours.end;
}

function tokens(count: number | undefined): number {
  return count !== undefined && Number.isFinite(count) && count > 0 ? count : 0;
}

function tiersOf(prices: TablePrices, modelId: string): PricePeriod['tiers'] | undefined {
  const names = Object.keys(prices);
  if (names.length > 0 && !names.some((name) => name === 'input_mtok' || name === 'output_mtok')) {
    return undefined;
  }
  const starts = new Set([-1]);
  for (const price of Object.values(prices)) {
    if (typeof price === 'object') {
      price.tiers.forEach(({ start }) => starts.add(start));
    }
  }
  return [...starts]
    .sort((a, b) => a - b)
    .map((above) => ({ above, rates: ratesOf(prices, above, modelId) }));
}

/** Claude's one-hour cache writes cost twice the input price, even if the table omits them (platform.claude.com). */
function ratesOf(prices: TablePrices, above: number, modelId: string): Rates {
  const rate = (name: string): number | undefined => perToken(prices[name], above);
  // Usage does not distinguish text, images and video; see `costOf`.
  const input = Math.max(
    rate('input_mtok') ?? 0,
    rate('input_image_mtok') ?? 0,
    rate('input_video_mtok') ?? 0,
  );
  const output = rate('output_mtok') ?? 0;
  const cacheWrite = rate('cache_write_mtok') ?? input;
  const twiceInput = modelId.includes('claude') ? 2 * input : 0;
  return {
    input,
    cacheRead: rate('cache_read_mtok') ?? input,
    cacheWrite,
    cacheWrite1h: rate('cache_write_1h_mtok') ?? Math.max(cacheWrite, twiceInput),
    inputAudio: rate('input_audio_mtok'),
    output,
    reasoning: rate('output_reasoning_mtok') ?? output,
    outputAudio: rate('output_audio_mtok') ?? (SPEAKS_ONLY.test(modelId) ? output : undefined),
    outputImage: rate('output_image_mtok'),
    outputVideo: rate('output_video_mtok'),
    request: 0,
  };
}

/** Matches models that output only audio, so their output price is for audio. */
const SPEAKS_ONLY = /(?:^|-)tts(?:-|$)/;

function perToken(price: TablePrice, above: number): number | undefined {
  if (typeof price !== 'object') return price === undefined ? undefined : nanoUsdPerToken(price);
  const tier = price.tiers.filter(({ start }) => start <= above).sort((a, b) => b.start - a.start)[0];
  return nanoUsdPerToken(tier?.price ?? price.base);
}

/**
 * Applies an override. An overridden input or output price replaces every text rate of its direction that is not itself
 * overridden. Audio, image and video prices that are not overridden stay (but see `dropIfFree`).
 */
export function overriddenRates(rates: Rates, override: PriceOverride): Rates {
  const input = maybe(override.input);
  const output = maybe(override.output);
  const cacheWrite = maybe(override.cache_write) ?? input;
  return {
    input: input ?? rates.input,
    cacheRead: maybe(override.cached_input) ?? input ?? rates.cacheRead,
    cacheWrite: cacheWrite ?? rates.cacheWrite,
    cacheWrite1h: cacheWrite ?? rates.cacheWrite1h,
    inputAudio: maybe(override.input_audio) ?? dropIfFree(rates.inputAudio, input),
    output: output ?? rates.output,
    reasoning: output ?? rates.reasoning,
    outputAudio: maybe(override.output_audio) ?? dropIfFree(rates.outputAudio, output),
    outputImage: maybe(override.output_image) ?? dropIfFree(rates.outputImage, output),
    outputVideo: maybe(override.output_video) ?? dropIfFree(rates.outputVideo, output),
    request: override.request === undefined ? rates.request : Math.round(override.request * 1e9),
  };
}

/** Drops a zero rate if text gets a price, so that the modality is billed as text. */
function dropIfFree(rate: number | undefined, textRate: number | undefined): number | undefined {
  return rate === 0 && textRate !== undefined && textRate > 0 ? undefined : rate;
}

function maybe(usdPerMillion: number | undefined): number | undefined {
  return usdPerMillion === undefined ? undefined : nanoUsdPerToken(usdPerMillion);
}

/** Converts USD per million tokens to nano-USD per token. Rounds to six decimals to remove floating-point errors. */
function nanoUsdPerToken(usdPerMillion: number): number {
  return Math.round(usdPerMillion * 1e9) / 1e6;
}

function timeOfDay(time: string): number {
  return Date.parse(`1970-01-01T${time}`);
}
