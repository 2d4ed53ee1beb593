import { useEffect, useState } from 'preact/hooks';

import { asError, loadMe, me, notice, outage } from './api.ts';
import { Navigation } from './navigation.tsx';
import { ProblemText } from './parts/answer.tsx';
import { href, route } from './route.ts';
import { SignIn } from './views/sign-in.tsx';
import { viewOf } from './views/views.tsx';

const RETRY_MS = 3_000;

export function App() {
  const problem = useMe();
  if (me.value === undefined) {
    return (
      <main class="alone">
        <h1>Gateway</h1>
        {problem === undefined ? <p role="status">Loading …</p> : <ProblemText problem={problem} />}
      </main>
    );
  }
  if (me.value === null) return <SignIn />;
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={focusMain}>
        Skip to content
      </button>
      <Navigation person={me.value} />
      <main id="main" tabIndex={-1}>
        {outage.value !== undefined && (
          <p class="outage" role="alert">
            {outage.value}
          </p>
        )}
        <p class="notice" role="status">
          {notice.value}
        </p>
        <View />
      </main>
    </div>
  );
}

/** Renders each view and item from scratch, without the state of the previous view. */
function View() {
  const { view, id } = route.value;
  useEffect(() => {
    notice.value = '';
  }, [view, id]);
  const Shown = viewOf(view, id);
  return <Shown key={`${view}/${id ?? ''}`} id={id ?? ''} />;
}

function focusMain(): void {
  document.getElementById('main')?.focus();
}

/** Loads the signed-in person, and retries after failures. Returns the last failure. */
function useMe(): Error | undefined {
  const [problem, setProblem] = useState<Error>();
  useEffect(() => {
    let timer: number | undefined;
    async function ask(): Promise<void> {
      try {
        await loadMe();
        // An owner may not see the first view, which shows keys of all owners.
        if (me.value?.owner != null && location.hash === '') location.replace(href('keys'));
      } catch (error) {
        setProblem(asError(error));
        timer = window.setTimeout(() => void ask(), RETRY_MS);
      }
    }
    void ask();
    return () => clearTimeout(timer);
  }, []);
  return problem;
}
