import { isDeepStrictEqual } from 'node:util';
import { type KeyRecord, mayUseModel, mayUseProvider } from '../auth/key-record.ts';
import type { Config } from '../config/schema.ts';
import type { TargetSettings } from '../config/sections/models.ts';
import { GatewayError } from '../errors.ts';
import type { JsonEdit } from '../json/path.ts';
import type { Identified, Parsed } from '../pipeline/exchange.ts';
import { createModelOf } from '../pricing/deployments.ts';
import type { ProviderCredentials } from '../provider-credentials/choose.ts';
import { apiPathOf, type ApiPath, type TargetApi } from '../providers/api-endpoints.ts';
import { providers } from '../providers/registry.ts';
import type { Route } from '../routing/route.ts';
import type { ProviderTarget, Target } from '../routing/target.ts';
import type { TargetHealth, TargetWatch } from './health.ts';
import { addedToList, requestedModel, modelItem, modelList, modelListApi } from './model-list.ts';
import { inOrder } from './choose-target.ts';

export interface RoutedTo {
  readonly exchange: Parsed;
  readonly target: ProviderTarget;
}

export interface Fallback extends RoutedTo {
  /** Outcomes of the previous attempt after which this target is tried (envoy/attempts.lua). */
  readonly after: readonly string[];
}

export interface Routed extends RoutedTo {
  /** In the order of attempts. Checks may remove some of them from `exchange.fallbacks`. */
  readonly fallbacks: readonly Fallback[];
  /** Undefined without circuits, or if fewer than two targets are usable. */
  readonly watch?: TargetWatch;
}

/** Outcomes that leave open whether the request was processed. */
const UNCERTAIN = ['timeout', 'lost', 'unsure'] as const;

/** Resolves model aliases, the names in `models` (docs/routes.md). */
export interface Aliases {
  /** Reports whether a request may name or list aliases. Such a request needs no key for the addressed provider. */
  mayName(target: Target): boolean;
  /** Returns the key's aliases as a model list; undefined if there are none or the path lists no models. */
  list(exchange: Identified): object | undefined;
  /** Returns the alias at this path if the key may use it. The alias takes precedence over a model of the same name. */
  model(exchange: Identified): object | undefined;
  /** Returns the edits that add the key's aliases to a provider's model list; none for requests with a query. */
  addToList(exchange: Identified, list: unknown): readonly JsonEdit[];
  /**
   * Returns undefined if `model` is not an alias that the key may use, or the path accepts no alias. Keys do not learn
   * about other aliases.
   * @param ownRefusal why the provider in the request's path is unusable
   * @throws GatewayError invalid_request, credential_unavailable, redis_unavailable
   */
  resolve(exchange: Parsed, ownRefusal: GatewayError | undefined): Routed | undefined | Promise<Routed>;
}

export interface AliasesDeps {
  readonly config: Pick<Config, 'models' | 'routes' | 'providers'>;
  readonly route: Route;
  readonly providerCredentials: Pick<ProviderCredentials, 'choose' | 'held'>;
  /** Undefined if `routes.circuit_breaker` is off. */
  readonly health?: TargetHealth | undefined;
  readonly random?: () => number;
}

export function createAliases({
  config,
  route,
  providerCredentials,
  health,
  random = Math.random,
}: AliasesDeps): Aliases {
  const { models, routes } = config;
  const modelOf = createModelOf(config.providers.azure.deployments);

  function isAllowed(key: KeyRecord, { provider, model }: TargetSettings): boolean {
    return mayUseProvider(key, provider) && mayUseModel(key, modelOf(provider, model));
  }

  function endpointOf(
    { path, query, provider }: Parsed,
    { api, path: below }: ApiPath,
    target: TargetSettings,
  ): ProviderTarget | undefined {
    const base = providers[target.provider].basePaths[api];
    if (base === undefined) return undefined;
    const own = target.provider === provider.name ? path : base + below;
    if (providers[target.provider].endpoint('POST', own) === undefined) return undefined;
    const found = route('POST', `/${target.provider}${own}`, query);
    return found.kind === 'provider' ? found : undefined;
  }

  function credentialOf(exchange: Parsed, target: TargetSettings, ownRefusal: GatewayError | undefined) {
    if (target.credential !== undefined) return providerCredentials.held(target.credential);
    const { provider, key, providerKey, heldCredential } = exchange;
    // The client's own key is sent only to the provider that the client addressed.
    if (target.provider !== provider.name) {
      return providerCredentials.choose(key, providers[target.provider], undefined);
    }
    if (ownRefusal !== undefined) throw ownRefusal;
    return { providerKey, ...(heldCredential !== undefined && { heldCredential }) };
  }

  function namesFor(key: KeyRecord, api: TargetApi): readonly string[] {
    return Object.entries(models)
      .filter(([, targets]) =>
        targets.some(
          (target) => providers[target.provider].basePaths[api] !== undefined && isAllowed(key, target),
        ),
      )
      .map(([name]) => name);
  }

  /** Skips targets without a credential. Throws GatewayError if no target is left. */
  function withCredentials(
    exchange: Parsed,
    targets: readonly Reachable[],
    ownRefusal: GatewayError | undefined,
  ): readonly Usable[] {
    let refusal: GatewayError | undefined;
    const usable = targets.flatMap((target): Usable[] => {
      try {
        return [{ ...target, credential: credentialOf(exchange, target.settings, ownRefusal) }];
      } catch (cause) {
        if (!(cause instanceof GatewayError)) throw cause;
        refusal ??= cause;
        return [];
      }
    });
    if (usable.length === 0 && refusal !== undefined) throw refusal;
    return usable;
  }

  return {
    mayName: (target) =>
      target.kind === 'provider' &&
      target.endpoint.model === undefined &&
      (apiPathOf(target.upstream.provider, target.path) ?? listedAt(target)) !== undefined,

    list(exchange) {
      const api = modelListApi(exchange.provider, exchange.path);
      const names = api === undefined ? [] : namesFor(exchange.key, api);
      return api === undefined || names.length === 0 ? undefined : modelList(api, names);
    },
    model(exchange) {
      const requested = requestedModel(exchange.provider, exchange.path);
      if (requested === undefined || !Object.hasOwn(models, requested.name)) return undefined;
      const { api, name } = requested;
      return namesFor(exchange.key, api).includes(name) ? modelItem(api, name) : undefined;
    },
    addToList(exchange, list) {
      const api = modelListApi(exchange.provider, exchange.path);
      return api === undefined || exchange.query !== ''
        ? []
        : addedToList(api, list, namesFor(exchange.key, api));
    },

    resolve(exchange, ownRefusal) {
      const alias = exchange.json['model'];
      if (typeof alias !== 'string' || !Object.hasOwn(models, alias)) return undefined;
      const apiPath =
        exchange.endpoint.model === undefined ? apiPathOf(exchange.provider, exchange.path) : undefined;
      if (apiPath === undefined) return undefined;
      const allowed = (models[alias] ?? []).filter((settings) => isAllowed(exchange.key, settings));
      if (allowed.length === 0) return undefined;
      const reachable = allowed.flatMap((settings) => {
        const target = endpointOf(exchange, apiPath, settings);
        return target === undefined ? [] : [{ settings, target }];
      });
      if (reachable.length === 0) throw unsupportedApi(alias);

      const usable = withCredentials(exchange, reachable, ownRefusal);
      const choice = { sticky: routes.sticky, random };
      if (health === undefined || usable.length < 2) {
        return routed(exchange, alias, inOrder(usable, exchange, choice));
      }
      return health
        .healthy(usable, exchange.key.keyHash)
        .then(({ targets, watch }) => routed(exchange, alias, inOrder(targets, exchange, choice), watch));
    },
  };
}

function listedAt({ endpoint, upstream, path }: ProviderTarget): TargetApi | undefined {
  if (endpoint.operation !== 'models') return undefined;
  return modelListApi(upstream.provider, path) ?? requestedModel(upstream.provider, path)?.api;
}

interface Reachable {
  readonly settings: TargetSettings;
  readonly target: ProviderTarget;
}

interface Usable extends Reachable {
  readonly credential: Pick<Parsed, 'providerKey' | 'heldCredential'>;
}

function routed(
  exchange: Parsed,
  alias: string,
  [first, ...others]: readonly Usable[],
  watch?: TargetWatch,
): Routed {
  if (first === undefined) throw new Error('there are no targets');
  const { target, settings } = first;
  const watched = watch !== undefined && { watch };
  if (others.length === 0) {
    const own = requestFor(exchange, alias, first);
    watch?.sends(own, first);
    const edits = [...exchange.edits, rename(settings)];
    return { target, exchange: { ...own, edits }, fallbacks: [], ...watched };
  }
  const primary: Parsed = { ...requestFor(exchange, alias, first), ownEdits: [rename(settings)] };
  watch?.sends(primary, first);
  const fallbacks = others.flatMap((other): Fallback[] => {
    const { on, retry_uncertain } = other.settings;
    const request = requestFor(exchange, alias, other);
    const own: Parsed = {
      ...request,
      query: queryOfBoth(primary, request),
      ownEdits: [rename(other.settings)],
      followsUncertain: retry_uncertain,
    };
    if (!isReadAlike(primary, own)) return [];
    watch?.sends(own, other);
    return [{ target: other.target, exchange: own, after: [...on, ...(retry_uncertain ? UNCERTAIN : [])] }];
  });
  primary.fallbacks = fallbacks.map((fallback) => fallback.exchange);
  return { target, exchange: primary, fallbacks, ...watched };
}

/** Checks scan only the first target's query, so other targets get no additional parameters. */
function queryOfBoth({ query: searched }: Parsed, { query }: Parsed): string {
  if (query === searched) return query;
  const known = new Set(searched.slice(1).split('&'));
  const kept = query
    .slice(1)
    .split('&')
    .filter((part) => known.has(part));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function rename({ model }: TargetSettings): JsonEdit {
  return { kind: 'set', path: ['model'], value: model };
}

/** Checks judge the texts and tools that the first target reads, so the other targets must read the same ones. */
function isReadAlike({ request: first }: Parsed, { request: other }: Parsed): boolean {
  return isDeepStrictEqual(judgedFacts(first), judgedFacts(other));
}

function judgedFacts(facts: Parsed['request']) {
  const { texts, media, tools, hostedTools, unseenContent, undecoded, encodedPrompt, storedPrompt } = facts;
  return { texts, media, tools, hostedTools, unseenContent, undecoded, encodedPrompt, storedPrompt };
}

/** Reads the request again in the target's dialect and with its model name. */
function requestFor(
  exchange: Parsed,
  alias: string,
  { settings: { model, timeout: answerWithinMs }, target, credential }: Usable,
): Parsed {
  const { heldCredential: _own, ...rest } = exchange;
  const { endpoint, path, query, upstream } = target;
  const { provider } = upstream;
  const json = { ...exchange.json, model };
  const facts = endpoint.dialect.request(json, endpoint);
  const unbounded = facts.unbounded ?? provider.unboundedBy?.(exchange.headers);
  return {
    ...rest,
    ...credential,
    alias,
    answerWithinMs,
    provider,
    endpoint,
    path,
    query,
    json,
    request: unbounded === undefined ? facts : { ...facts, unbounded },
  };
}

function unsupportedApi(alias: string): GatewayError {
  return new GatewayError(
    'invalid_request',
    `the models of the alias ${alias} do not support this endpoint: use their own API`,
  );
}
