import type { SignInKinds } from '../../src/operator/api/schemas/people.ts';
import { loadMe, sessionEnded, signIn } from '../api.ts';
import { useLoaded } from '../loaded.ts';
import { Answer, ProblemText } from '../parts/answer.tsx';
import { Heading } from '../parts/basics.tsx';
import { Field, useSubmit } from '../parts/field.tsx';

export function SignIn() {
  const kinds = useLoaded<SignInKinds>('/api/sign-in');
  return (
    <main class="alone">
      <Heading>Sign in to the gateway</Heading>
      {sessionEnded.value && <p role="status">Your session has ended. Sign in again.</p>}
      <Answer loaded={kinds}>
        {({ kinds: [...ways] }) => (
          <>
            {ways.includes('oidc') && (
              <p>
                <a class="button primary" href="/api/sign-in/oidc">
                  Sign in with your organization
                </a>
              </p>
            )}
            {ways.includes('proxy') && <ByProxy />}
            {ways.includes('password') && <ByPassword />}
            {ways.length === 0 && <NoSignIn />}
          </>
        )}
      </Answer>
    </main>
  );
}

function ByPassword() {
  const { problem, isBusy, onSubmit } = useSubmit((form) => {
    const password = form.get('password');
    return signIn(typeof password === 'string' ? password : '');
  });
  return (
    <form onSubmit={onSubmit}>
      <Field
        label="Password"
        name="password"
        type="password"
        required
        autocomplete="current-password"
        hint="set with gateway ui password"
      />
      {problem !== undefined && <ProblemText problem={problem} />}
      <button type="submit" class="primary" disabled={isBusy}>
        Sign in
      </button>
    </form>
  );
}

function ByProxy() {
  return (
    <p>
      Your proxy signs you in. If this does not work, open this page through the proxy.{' '}
      <button type="button" onClick={() => void loadMe()}>
        Try again
      </button>
    </p>
  );
}

function NoSignIn() {
  return (
    <p>
      No sign-in method is set up. Run <code>gateway ui password</code> on this machine, or configure{' '}
      <code>ui.oidc</code>.
    </p>
  );
}
