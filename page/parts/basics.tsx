import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { absoluteTime, relativeTime } from '../format.ts';
import { useNow } from '../loaded.ts';
import { hasMoved } from '../route.ts';

/** The heading of a view takes the focus after a move, so that a screen reader tells where the reader has arrived. */
export function Heading({ children }: { readonly children: ComponentChildren }): JSX.Element {
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

/** A time in the reader's zone: relative, with the absolute time as title, or the other way round. */
export function Time({
  at,
  absolute = false,
}: {
  readonly at: string;
  readonly absolute?: boolean;
}): JSX.Element {
  const now = useNow(10_000);
  const [shown, title] = [absoluteTime(at), relativeTime(at, now)];
  return (
    <time dateTime={at} title={absolute ? title : shown}>
      {absolute ? shown : title}
    </time>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <div class="empty">{children}</div>;
}

export type Tone = 'good' | 'bad' | 'warn' | 'plain';

export function Badge({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Copies a text, and says so. */
export function Copy({
  text,
  label = 'Copy',
}: {
  readonly text: string;
  readonly label?: string;
}): JSX.Element {
  const [said, setSaid] = useState('');
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      setSaid('Select the text and copy it by hand');
    }
  }
  return (
    <span class="copy">
      <button type="button" class="quiet" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status">{said}</span>
    </span>
  );
}

/** Names and values of one thing. Pairs without a value are left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, ComponentChildren>> }): JSX.Element {
  const given = Object.entries(of).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return (
    <dl class="facts">
      {given.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A list of texts of others, each by itself. */
export function Words({
  of,
  none,
}: {
  readonly of: readonly string[] | null;
  readonly none: string;
}): JSX.Element {
  if (of === null) return <>{none}</>;
  if (of.length === 0) return <>none</>;
  return (
    <span class="words">
      {of.map((word) => (
        <code key={word}>{word}</code>
      ))}
    </span>
  );
}
