import type { ComponentChildren, TargetedEvent } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';

import { asError } from '../api.ts';

/** `onTyped` is called after this pause in typing. */
const TYPED_MS = 250;

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly name?: string;
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'date';
  /** Initial value. */
  readonly value?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly autocomplete?: 'off' | 'current-password';
  /** Called once typing pauses. */
  readonly onTyped?: (value: string) => void;
}

export function Field({ label, hint, type = 'text', value = '', onTyped, ...input }: FieldProps) {
  const id = useId();
  const [first] = useState(value);
  const timer = useRef<number>(undefined);
  function typed(text: string): void {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => onTyped?.(text), TYPED_MS);
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        id={id}
        defaultValue={first}
        // Preact's types allow other roles for each input type; no role is set here.
        type={type as 'text'}
        step={type === 'number' ? 'any' : undefined}
        min={type === 'number' ? 0 : undefined}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => typed(event.currentTarget.value)}
      />
      {hint !== undefined && (
        <small id={`${id}-hint`} class="muted">
          {hint}
        </small>
      )}
    </div>
  );
}

export function SearchField({
  hint,
  value,
  onSearch,
}: {
  readonly hint?: string;
  readonly value: string;
  readonly onSearch: (search: string) => void;
}) {
  return (
    <Field
      label="Search"
      type="search"
      value={value}
      onTyped={onSearch}
      {...(hint !== undefined && { hint })}
    />
  );
}

export interface Choice {
  readonly value: string;
  readonly title: string;
}

export function Select({
  label,
  choices,
  value,
  onChoose,
  name,
}: {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value?: string;
  readonly onChoose?: (value: string) => void;
  readonly name?: string;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} value={value} onChange={(event) => onChoose?.(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.title}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Returns a submit handler that calls `work`, whether it is running, and the failure of the last attempt. */
export function useSubmit(work: (form: FormData) => Promise<void>) {
  const [problem, setProblem] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  async function submit(form: HTMLFormElement): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      await work(new FormData(form));
    } catch (error) {
      setProblem(asError(error));
    }
    setBusy(false);
  }
  function onSubmit(event: TargetedEvent<HTMLFormElement>): void {
    event.preventDefault();
    void submit(event.currentTarget);
  }
  return { problem, isBusy, onSubmit };
}

export function Filters({ children }: { readonly children: ComponentChildren }) {
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      {children}
    </form>
  );
}
