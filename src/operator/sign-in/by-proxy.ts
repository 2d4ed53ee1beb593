import { BlockList, isIP } from 'node:net';
import type { Logger } from '../../telemetry/logger.ts';
import { isPlainLabel } from '../../text/label.ts';
import { ApiError } from '../api/problem.ts';
import type { CsrfTokenOf } from './csrf-key-store.ts';
import type { Identify } from './identify.ts';
import { GRANTED_ROLES, grantedOf, type GrantedRole, type SignedIn } from './roles.ts';

/** Minimum interval between log lines about forged headers. */
const LOG_EVERY_MS = 10_000;

export interface ProxyWays {
  readonly byProxy: Identify;
  /** Must be tried last. Tells a person who is not identified that the header was dropped. */
  readonly refuseForged: Identify;
}

export function createProxyWays({
  csrfTokenOf,
  log,
  ...options
}: ProxyHeaderOptions & { readonly csrfTokenOf: CsrfTokenOf; readonly log: Logger }): ProxyWays {
  const read = createProxyHeader(options);
  let loggedAt = -Infinity;

  function logForged(address: string): void {
    if (performance.now() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = performance.now();
    log.warn(
      { client_address: address, header: options.header },
      'dropped the header of the authenticating proxy: the request was sent from an address that is not in ui.proxy_auth.from',
    );
  }

  return {
    byProxy: async ({ headersDistinct }, address) => {
      const found = read({ address, headers: headersDistinct });
      if (found.kind === 'forged') logForged(address);
      if (found.kind === 'unusable') throw new ApiError('not_signed_in', found.why);
      if (found.kind !== 'signed-in') return undefined;
      return { who: found.who, csrf: await csrfTokenOf(found.who.subject) };
    },
    refuseForged: ({ headersDistinct }, address) => {
      if (read({ address, headers: headersDistinct }).kind !== 'forged') return Promise.resolve(undefined);
      throw new ApiError(
        'not_signed_in',
        `${options.header} was dropped: this address is not in ui.proxy_auth.from`,
      );
    },
  };
}

/** `ui.proxy_auth`. */
export interface ProxyHeaderOptions {
  readonly header: string;
  /** Addresses and networks (`10.0.0.0/8`) of the proxy. */
  readonly from: readonly string[];
  /** In lower case. If undefined, everyone named by the proxy is a viewer. */
  readonly roleHeader?: string | undefined;
}

/** `forged`: sent from an unlisted address, and dropped. `unusable`: sent by a listed proxy, but invalid. */
export type ProxySignIn =
  | { readonly kind: 'signed-in'; readonly who: SignedIn }
  | { readonly kind: 'none' }
  | { readonly kind: 'forged' }
  | { readonly kind: 'unusable'; readonly why: string };

export type ProxyHeader = (request: {
  readonly address: string | undefined;
  /** Separate values per header, because joining duplicates would create a new name. */
  readonly headers: NodeJS.Dict<readonly string[]>;
}) => ProxySignIn;

const MAX_NAME_CHARS = 128;
const MAX_ROLES = 100;

/** Identifies a person by the header of an authenticating proxy. */
export function createProxyHeader({ header, from, roleHeader }: ProxyHeaderOptions): ProxyHeader {
  const listed = blockListOf(from);
  return ({ address, headers }) => {
    const names = headers[header] ?? [];
    const roles = roleHeader === undefined ? [] : (headers[roleHeader] ?? []);
    if (names.length === 0 && roles.length === 0) return { kind: 'none' };
    if (!isListed(listed, address)) return { kind: 'forged' };
    const [name = '', ...others] = names;
    if (others.length > 0 || roles.length > 1)
      return { kind: 'unusable', why: 'the proxy sent a header twice' };
    if (name === '' || name.length > MAX_NAME_CHARS || !isPlainLabel(name))
      return {
        kind: 'unusable',
        why: `${header} must have 1 to ${String(MAX_NAME_CHARS)} visible characters`,
      };
    const granted =
      roleHeader === undefined ? { role: 'viewer' as const } : grantedOf(rolesIn(roles[0]), name);
    if (granted === undefined)
      return { kind: 'unusable', why: `${roleHeader ?? ''} must name one of ${GRANTED_ROLES.join(', ')}` };
    return { kind: 'signed-in', who: { subject: name, name, ...granted, kind: 'proxy' } };
  };
}

/** Parses a list such as `viewer, operator`. Ignores other entries, such as groups known only to the proxy. */
function rolesIn(text = ''): readonly GrantedRole[] {
  const named = text.split(',', MAX_ROLES).map((name) => name.trim());
  return GRANTED_ROLES.filter((role) => named.includes(role));
}

function blockListOf(from: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of from) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

function isListed(list: BlockList, address: string | undefined): boolean {
  const family = address === undefined ? 0 : isIP(address);
  // BlockList also compares IPv4-mapped IPv6 addresses with IPv4 rules.
  return address !== undefined && family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
