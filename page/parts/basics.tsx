import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { absoluteTime, relativeTime } from '../format.ts';
import { useNow } from '../loaded.ts';
import { hasMoved } from '../route.ts';

/** Takes the focus after navigation, so that screen readers announce the view. */
export function Heading({ children }: { readonly children: ComponentChildren }) {
  const element = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasMoved.peek()) element.current?.focus();
    document.title = `${element.current?.textContent ?? ''} – Gateway`;
  }, []);
  return (
    <h1 ref={element} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** A relative time with the absolute time as its title, or vice versa. */
export function Time({ at, absolute = false }: { readonly at: string; readonly absolute?: boolean }) {
  const now = useNow(10_000);
  const [full, relative] = [absoluteTime(at), relativeTime(at, now)];
  return (
    <time dateTime={at} title={absolute ? relative : full}>
      {absolute ? full : relative}
    </time>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

export type Tone = 'good' | 'bad' | 'warn' | 'plain';

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [status, setStatus] = useState('');
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setStatus('Copied');
    } catch {
      setStatus('Select the text and copy it');
    }
  }
  return (
    <span class="copy">
      <button type="button" class="quiet" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status">{status}</span>
    </span>
  );
}

/** Omits empty values. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChildren>> }) {
  const shown = Object.entries(facts).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return (
    <dl class="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Words as a row of code elements. Shows the property `none` for null, and "none" for an empty array. */
export function Words({ words, none }: { readonly words: readonly string[] | null; readonly none: string }) {
  if (words === null) return <>{none}</>;
  if (words.length === 0) return <>none</>;
  return (
    <span class="words">
      {words.map((word) => (
        <code key={word}>{word}</code>
      ))}
    </span>
  );
}
