import { isPlainAfar } from './address.ts';
import type { Config } from './schema.ts';

interface TokenProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Rejects JWT settings that would have no effect, or that trust an unsafe address. */
export function tokenProblems({ server, zsp, budgets }: Config): readonly (TokenProblem | false)[] {
  const demands = (['jwt_only', 'require_dpop'] as const).map(
    (key) =>
      zsp[key] && !zsp.enabled && { path: ['zsp', key], message: 'has no effect without zsp.enabled: true' },
  );
  const isRead = zsp.enabled && zsp.jwks_url !== '';
  return [
    ...demands,
    ...budgets.map(
      ({ match }, index) =>
        match.claims !== undefined &&
        !zsp.jwt_only && {
          path: ['budgets', index, 'match', 'claims'],
          message: 'needs zsp.jwt_only: true, since clients could leave their JWT out',
        },
    ),
    zsp.require_dpop &&
      server.public_url === undefined && {
        path: ['zsp', 'require_dpop'],
        message: 'needs server.public_url, the address that clients put into DPoP proofs',
      },
    isRead &&
      /^[a-z]+:\/\/[^/?#]*@/i.test(zsp.jwks_url) && {
        path: ['zsp', 'jwks_url'],
        message: 'must not contain a user or password: key sets are public',
      },
    isRead &&
      !server.insecure_dev &&
      isPlainAfar(zsp.jwks_url) && {
        path: ['zsp', 'jwks_url'],
        message:
          'must be https:// (plain http is allowed for loopback addresses, or with SERVER_INSECURE_DEV=true): this server decides which JWTs are valid',
      },
  ];
}
