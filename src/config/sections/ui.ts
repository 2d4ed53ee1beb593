import * as z from 'zod';
import { isIP } from 'node:net';
import { GRANTED_ROLES } from '../../operator/sign-in/roles.ts';
import { baseUrl, duration, filePath, ipAddress, needsRestart, port, section } from '../fields.ts';

const text = z.string().min(1).max(256);
const headerName = z.string().regex(/^[a-z0-9-]{1,64}$/i, { error: 'must be the name of a header' });

const network = z.string().refine(isNetwork, {
  error: 'must be an IP address, or a network such as 10.0.0.0/8',
});

function isNetwork(text: string): boolean {
  const [address = '', prefix, more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more !== undefined) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

const oidc = section({
  issuer: baseUrl
    .optional()
    .describe(
      'Issuer URL of the OpenID provider, `https`, or `http` on this machine. Turns this sign-in on.',
    ),
  client_id: text.optional().describe('Client id of the page at the provider.'),
  client_secret_file: filePath
    .optional()
    .describe(
      'File with the client secret, read at each sign-in. Without it, the page is a public client that uses only PKCE.',
    ),
  scopes: z.array(text).max(32).default(['profile']).describe('Scopes to request in addition to `openid`.'),
  role_claim: text
    .default('groups')
    .describe('Claim whose values grant roles. `realm_access.roles` names a nested claim.'),
  roles: z
    .record(text, z.enum(GRANTED_ROLES))
    .default({})
    .describe(
      'Role that each value of the claim grants: `viewer`, `approver`, `operator`, `admin`, or `owner`. The highest counts. People without a role cannot sign in.',
    ),
  owner_claim: text
    .optional()
    .describe('Claim with the name of an `owner`, who only sees keys that have this owner.'),
}).prefault({});

const proxyAuth = section({
  header: headerName
    .optional()
    .describe(
      'Header in which an authenticating proxy names the person. Turns this sign-in on. The proxy must remove the header from client requests.',
    ),
  from: z
    .array(network)
    .max(100)
    .default([])
    .describe(
      'Addresses and networks of the proxy. The header is dropped if it comes from any other address.',
    ),
  role_header: headerName
    .optional()
    .describe(
      'Header in which the proxy lists roles, comma-separated. An `owner` sees the keys whose owner is this person. If this key is not set, everyone is a viewer.',
    ),
}).prefault({});

export const ui = needsRestart(
  section({
    enabled: z.boolean().default(false).describe('Serve the operator page and its API.'),
    host: ipAddress
      .default('127.0.0.1')
      .describe(
        'IP address of the page. An address other than loopback needs `ui.tls`, `ui.public_url`, and a sign-in method other than the password.',
      ),
    port: port.default(9091).describe('Port of the page.'),
    public_url: baseUrl
      .optional()
      .describe(
        'URL at which browsers reach the page, if a proxy is in front or `ui.host` is not loopback. Requests for other hosts are refused.',
      ),
    tls: section({
      cert_file: filePath.optional().describe('PEM certificate chain of the page, leaf first.'),
      key_file: filePath.optional().describe('PEM private key of `cert_file`.'),
    }).prefault({}),
    oidc: oidc.describe('Sign-in by OpenID Connect.'),
    proxy_auth: proxyAuth.describe('Sign-in by an authenticating proxy.'),
    session: section({
      idle: duration('30m').describe('Idle time after which a session ends.'),
      absolute: duration('12h').describe('Time after which a session ends even if it is in use.'),
    }).prefault({}),
  })
    .prefault({})
    .describe('The operator page. See docs/operator-page.md.'),
);
