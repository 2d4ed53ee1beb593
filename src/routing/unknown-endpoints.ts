import { GatewayError } from '../errors.ts';
import { UNKNOWN_ENDPOINT_PATTERN } from '../config/sections/providers.ts';
import type { Config } from '../config/schema.ts';
import type { Provider } from '../providers/registry.ts';
import { globMatches } from '../text/glob.ts';
import { shownPath, type RequestedPath, intendedPath } from './intended-path.ts';

/** Allows or refuses requests to endpoints that no dialect reads (`proxy.unknown_endpoints`). */
export interface UnknownEndpoints {
  /**
   * Returns the segments matched only by wildcards, or undefined if no setting opens the path. Throws policy_denied if
   * a setting opens a path that must stay closed.
   */
  open(requested: RequestedPath): readonly string[] | undefined;
  mayBeOpened(requested: RequestedPath): boolean;
}

interface Pattern {
  readonly method: string;
  /** Provider name, then path segments. `*` matches any text in one segment, a final `**` one or more segments. */
  readonly segments: readonly string[];
}

export function createUnknownEndpoints({ proxy }: Config): UnknownEndpoints {
  const setting = proxy.unknown_endpoints;
  const patterns = typeof setting === 'string' ? [] : setting.map(readPattern);

  /**
   * Returns the smallest set of segments that a matching pattern leaves open (all of them for `allow`), or undefined if
   * no pattern matches.
   */
  function openSegments({ provider, method, path }: RequestedPath): readonly string[] | undefined {
    const [name = '', ...segments] = `${provider.name}${path}`.split('/');
    if (setting === 'allow') return provider.selfHosted ? undefined : segments;
    const left = patterns
      .filter((pattern) => pattern.method === method && matches(pattern.segments, [name, ...segments]))
      .map((pattern) => segments.filter((segment, index) => pattern.segments[index + 1] !== segment));
    return left.toSorted((one, other) => one.length - other.length)[0];
  }

  return {
    open(requested) {
      const segments = openSegments(requested);
      if (segments === undefined) return undefined;
      const { provider, path } = requested;
      if (!isPlainlyWritten(path) || spellsKnownPath(requested)) throw ambiguous(requested);
      if (isAdministrative(provider, path)) throw administrative(provider, requested);
      return segments;
    },
    mayBeOpened: (requested) =>
      isPlainlyWritten(requested.path) &&
      !spellsKnownPath(requested) &&
      !isAdministrative(requested.provider, requested.path),
  };
}

function readPattern(written: string): Pattern {
  const [, method = '', path = ''] = UNKNOWN_ENDPOINT_PATTERN.exec(written) ?? [];
  return { method, segments: path.slice(1).split('/') };
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  const isOpenEnded = pattern.at(-1) === '**';
  const fixed = isOpenEnded ? pattern.slice(0, -1) : pattern;
  const fits = isOpenEnded ? segments.length > fixed.length : segments.length === fixed.length;
  return fits && fixed.every((glob, index) => globMatches(glob, segments[index] ?? ''));
}

function ambiguous({ provider, method, path }: RequestedPath): GatewayError {
  return new GatewayError(
    'policy_denied',
    `${method} ${shownPath(`/${provider.name}${path}`)} could be read as a path that the gateway inspects, or in more than one way: send the path as the provider documents it`,
  );
}

function administrative(provider: Provider, { method, path }: RequestedPath): GatewayError {
  return new GatewayError(
    'policy_denied',
    `${method} ${shownPath(`/${provider.name}${path}`)} manages ${provider.name}, which is not allowed for proxy keys: call ${provider.name} directly`,
  );
}

/**
 * Path segments (without `-` and `_`) that manage an account, its keys, money, models or machines, search everything
 * that the account has logged, or issue a credential usable without the gateway.
 */
const SEGMENTS: ReadonlySet<string> = new Set(
  `account accounts admin administration adapter adapters apikey apikeys audit auditlogs authtokens balance
   billing certificate certificates chatkit checkpoints clientsecret clientsecrets cluster clusters connectors cost
   costs credential credentials credit credits customers debug deployment endpoint endpoints finetune finetunes
   finetuning finetunings group groups hardware health iam instances invite invites invoice invoices key keys
   limits logs lora loras member members metrics oauth observability org organization organizations orgs payment payments
   permission permissions policies project projects provisioning quota quotas ratelimits realtime register role
   roles secret secrets serviceaccount serviceaccounts settings sso subscriptions team teams token tokens training
   tunedmodels usage user users vaults webhook webhookendpoints webhooks whoami workspace workspaces`.split(
    /\s+/,
  ),
);

/** Matches the first words of segments that act on a server or its stored data. */
const VERBS =
  /^(?:archive|delete|deploy|destroy|load|purge|reload|remove|reset|restart|revoke|rotate|shutdown|transfer|undeploy|unload)(?:$|[_-])/;

/**
 * Reports whether a path is closed to all proxy keys. On self-hosted servers, these are all unknown paths that are not
 * `openable`, because most of them manage the server and require no credential.
 */
export function isAdministrative(provider: Provider, path: string): boolean {
  if (provider.selfHosted) return provider.openable?.test(path) !== true;
  const parts = path
    .toLowerCase()
    .split(/[/:]/)
    .filter((part) => part !== '');
  return parts.some((part, index) => isManaging(part, index === parts.length - 1));
}

function isManaging(part: string, isLast: boolean): boolean {
  const plain = part.replaceAll(/[-_]/g, '');
  // The endpoints of a deployment follow its name; the list of deployments itself is administrative.
  return SEGMENTS.has(plain) || VERBS.test(part) || (isLast && plain === 'deployments');
}

/** Matches paths that all servers read alike: no parameters, escapes, empty segments, or dots at segment ends. */
const PLAIN = /^(?:\/[A-Za-z0-9_~@:-]+(?:\.[A-Za-z0-9_~@:-]+)*)+$/;
/** Matches the start of a suffix that a lenient server may ignore. */
const TAIL = /[^a-z0-9_-]/;

function isPlainlyWritten(path: string): boolean {
  return PLAIN.test(path);
}

/** Reports whether a server might read this path as a known one, ignoring letter case, suffix or base path. */
function spellsKnownPath(requested: RequestedPath): boolean {
  const { provider, basePath, method } = requested;
  const path = withoutTrailingSlashes(requested.path);
  const lower = path.toLowerCase();
  // Ignores the query, which may be the reason why a known path was refused.
  const isRead = (spelling: string, methods: readonly string[] = METHODS): boolean =>
    methods.some((each) => provider.endpoint(each, spelling) !== undefined) ||
    intendedPath({ provider, basePath, method, path: spelling, query: '' }) !== undefined;
  // In a POST path, a colon may introduce an action on a model, which is not a spelling of the model's own GET.
  return (
    [path, lower, withVerb(provider, lower)].some((spelling) => isRead(spelling)) ||
    isRead(withoutTails(lower), [method])
  );
}

const METHODS = ['GET', 'POST'] as const;

function withoutTails(path: string): string {
  return path.split('/').map(withoutTail).join('/');
}

function withoutTail(segment: string): string {
  const at = segment.search(TAIL);
  return at < 0 ? segment : segment.slice(0, at);
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** Restores the capitals of Google's methods, which follow a colon. No other words in paths have capitals. */
function withVerb({ verbs = [] }: Provider, lower: string): string {
  const colon = lower.lastIndexOf(':');
  const written = withoutTail(lower.slice(colon + 1));
  const verb = colon < 0 ? undefined : verbs.find((each) => each.toLowerCase() === written);
  return verb === undefined ? lower : `${lower.slice(0, colon)}:${verb}`;
}
