import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';

import type { Role } from '../../src/operator/api/schemas/people.ts';
import { change, may, notice, ProblemError } from '../api.ts';
import { ProblemText } from './answer.tsx';
import { Dialog } from './dialog.tsx';

export interface Change<T> {
  readonly title: string;
  /** What will happen, and how it is undone. */
  readonly consequence: ComponentChildren;
  /** On the button: a verb. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly method?: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The body besides the reason, from the fields of the form. */
  readonly body?: (form: FormData) => object;
  readonly fields?: ComponentChildren;
  /** The sentence for the status line once it is done. */
  readonly said: (answer: T) => string;
  readonly onDone: (answer: T) => void;
}

const MAX_REASON = 200;

/** Asks for a reason, says what will happen, and makes the change once, however often it is sent. */
function ChangeDialog<T>({
  of,
  onClose,
}: {
  readonly of: Change<T>;
  readonly onClose: () => void;
}): JSX.Element {
  const [operation, setOperation] = useState(() => crypto.randomUUID());
  const [problem, setProblem] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const reasonId = useId();

  async function submit(form: HTMLFormElement): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      const given = new FormData(form);
      const body = { ...of.body?.(given), reason: text(given, 'reason') };
      const answer = await change<T>(of.method ?? 'POST', of.path, body, operation);
      notice.value = of.said(answer);
      onClose();
      of.onDone(answer);
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)));
      // A refused change was not made: the next attempt is another one, which may have another body.
      if (error instanceof ProblemError && error.status >= 400 && error.status < 500) {
        setOperation(crypto.randomUUID());
      }
      setBusy(false);
    }
  }

  return (
    <Dialog title={of.title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <div class="consequence">{of.consequence}</div>
        {of.fields}
        <label for={reasonId}>Reason, for the audit trail</label>
        <input id={reasonId} name="reason" required maxLength={MAX_REASON} autocomplete="off" />
        {problem !== undefined && <ProblemText problem={problem} />}
        <div class="buttons">
          <button type="submit" class={of.isDangerous === true ? 'danger' : 'primary'} disabled={isBusy}>
            {of.verb}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns a field of a form without surrounding space. */
export function text(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** Returns what was written into the field, as a part of a body; nothing if it was left empty. */
export function given(form: FormData, name: string): Readonly<Record<string, string>> {
  const value = text(form, name);
  return value === '' ? {} : { [name]: value };
}

/** Keeps the dialog of a change that is being asked about; the view renders it. */
export function useChange(): { ask<T>(of: Change<T>): void; readonly dialog: ComponentChildren } {
  const [dialog, setDialog] = useState<ComponentChildren>(null);
  function close(): void {
    setDialog(null);
  }
  return {
    ask: (of) => {
      setDialog(<ChangeDialog of={of} onClose={close} />);
    },
    dialog,
  };
}

/** Buttons of changes, for those who may make them; the others are told so. */
export function Changes({
  role,
  children,
}: {
  readonly role: Role;
  readonly children: ComponentChildren;
}): JSX.Element {
  if (may(role)) return <div class="tools">{children}</div>;
  return <p class="muted">To make changes here, sign in as {role}.</p>;
}
