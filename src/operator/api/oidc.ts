import type { IncomingMessage } from 'node:http';
import type { PageServices } from '../services.ts';
import { bindingCookie, clearBindingCookie, setBindingCookie, signedIn } from '../sign-in/by-session.ts';
import { SignInRefused, type OidcSignIn } from '../sign-in/oidc.ts';
import { openRoute, Reply, StreamReply, type Route } from './route.ts';
import { refuseManyAttempts } from './sign-in.ts';

const CALLBACK = '/api/sign-in/oidc/callback';

export function oidcRoutes(services: PageServices, oidc: OidcSignIn): readonly Route[] {
  const { config, sessions, attempts, log } = services;
  return [
    openRoute({
      method: 'GET',
      path: '/api/sign-in/oidc',
      summary: 'Redirect to the identity provider to sign in',
      navigable: true,
      handle: ({ incoming }) =>
        orErrorPage(async () => {
          const { url, binding } = await oidc.begin(callbackUrl(config.ui.public_url, incoming));
          return new Reply(303, { location: url.href, 'set-cookie': setBindingCookie(binding) });
        }),
    }),
    openRoute({
      method: 'GET',
      path: CALLBACK,
      summary: 'Callback for the identity provider',
      navigable: true,
      handle: ({ incoming, address }) =>
        orErrorPage(async () => {
          await refuseManyAttempts(attempts, address, 'address');
          const callback = new URL(callbackUrl(config.ui.public_url, incoming));
          callback.search = /\?.*/s.exec(incoming.url ?? '')?.[0] ?? '';
          try {
            const who = await oidc.finish(callback, bindingCookie(incoming));
            await attempts.forget(address);
            return await signedIn(sessions, incoming, who, {
              location: '/',
              cookies: [clearBindingCookie()],
            });
          } catch (refusal) {
            if (refusal instanceof SignInRefused)
              log.warn(
                { client_address: address, reason: refusal.message },
                'a sign-in by OpenID Connect failed',
              );
            throw refusal;
          }
        }),
    }),
  ];
}

/** The guard has already checked the host. */
function callbackUrl(publicUrl: string | undefined, { headers, socket }: IncomingMessage): string {
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  return new URL(CALLBACK, publicUrl ?? `${scheme}://${headers.host ?? ''}`).href;
}

/** Shows a refusal as an HTML page, because the browser has left the operator page. */
async function orErrorPage(work: () => Promise<Reply>): Promise<Reply | StreamReply> {
  try {
    return await work();
  } catch (refusal) {
    if (!(refusal instanceof SignInRefused)) throw refusal;
    return new StreamReply((response) => {
      response.statusCode = 401;
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.setHeader('set-cookie', clearBindingCookie());
      response.end(errorPage(refusal.message));
    });
  }
}

function errorPage(message: string): string {
  return `<!doctype html>
<html lang="en">
<title>Sign-in failed</title>
<h1>Sign-in failed</h1>
<p>${escaped(message)}.</p>
<p><a href="/">Back to sign-in</a></p>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}
