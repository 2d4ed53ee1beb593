import { useState } from 'preact/hooks';

import type { Me } from '../src/operator/api/schemas/people.ts';
import { notice, signOut } from './api.ts';
import { Select } from './parts/field.tsx';
import { href, route } from './route.ts';
import { theme, type Theme } from './theme.ts';

const PLACES = [
  ['now', 'Now'],
  ['decisions', 'Live decisions'],
  ['keys', 'Keys'],
  ['approvals', 'Approvals'],
  ['money', 'Money'],
  ['spend', 'Spend'],
  ['risk', 'Risk and locks'],
  ['sessions', 'Sessions'],
  ['mcp', 'MCP'],
  ['policies', 'Policies'],
  ['connect', 'Connect a client'],
  ['tokens', 'API tokens'],
] as const;

const THEMES = [
  { value: 'system', title: 'System' },
  { value: 'light', title: 'Light' },
  { value: 'dark', title: 'Dark' },
] as const;

/** Views that are not limited to one owner, and therefore hidden from owners. */
const VIEWS_OF_ALL: readonly string[] = ['now', 'mcp', 'policies', 'tokens'];

function isShownTo({ role, owner }: Me, view: string): boolean {
  return (owner === null || !VIEWS_OF_ALL.includes(view)) && (view !== 'tokens' || role === 'admin');
}

/** Navigation entries for views without an entry of their own. */
const PARENT: Readonly<Record<string, string>> = { requests: 'decisions' };

export function Navigation({ person }: { readonly person: Me }) {
  const [isOpen, setOpen] = useState(false);
  const current = PARENT[route.value.view] ?? route.value.view;
  return (
    <header class={isOpen ? 'side open' : 'side'}>
      <div class="brand">
        <span>Gateway</span>
        <button
          type="button"
          class="menu"
          aria-expanded={isOpen}
          aria-controls="places"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
      </div>
      <div id="places" class="places">
        <nav aria-label="Views">
          <ul>
            {PLACES.filter(([view]) => isShownTo(person, view)).map(([view, title]) => (
              <li key={view}>
                <a
                  href={href(view)}
                  aria-current={view === current ? 'page' : undefined}
                  onClick={() => setOpen(false)}
                >
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Person person={person} />
      </div>
    </header>
  );
}

function Person({ person }: { readonly person: Me }) {
  async function leave(): Promise<void> {
    try {
      await signOut();
    } catch (error) {
      notice.value = error instanceof Error ? error.message : String(error);
    }
  }
  return (
    <div class="person">
      <Select
        label="Theme"
        choices={THEMES}
        value={theme.value}
        onChoose={(value) => {
          theme.value = value as Theme;
        }}
      />
      <p>
        <strong>{person.name}</strong>
        <br />
        <span class="muted">
          {person.role}
          {person.owner !== null && `, keys of ${person.owner}`}
        </span>
      </p>
      <button type="button" onClick={() => void leave()}>
        Sign out
      </button>
      <p class="muted">Version {person.version}</p>
    </div>
  );
}
