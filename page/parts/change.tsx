import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

import type { Role } from '../../src/operator/api/schemas/people.ts';
import { change, may, notice, ProblemError } from '../api.ts';
import { ProblemText } from './answer.tsx';
import { Dialog } from './dialog.tsx';
import { useSubmit } from './field.tsx';

export interface Change<T> {
  readonly title: string;
  /** The effect of the change, and how to undo it. */
  readonly consequence: ComponentChildren;
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly method?: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Returns the body without the reason. */
  readonly body?: (form: FormData) => object;
  readonly fields?: ComponentChildren;
  /** Returns the status line text. */
  readonly doneText: (answer: T) => string;
  readonly onDone: (answer: T) => void;
}

const MAX_REASON = 200;

/** Asks for a reason, shows the consequence and makes the change only once, even if it is sent repeatedly. */
function ChangeDialog<T>({
  details,
  onClose,
}: {
  readonly details: Change<T>;
  readonly onClose: () => void;
}) {
  const [operation, setOperation] = useState(() => crypto.randomUUID());
  const reasonId = useId();
  const { problem, isBusy, onSubmit } = useSubmit(async (form) => {
    try {
      const body = { ...details.body?.(form), reason: text(form, 'reason') };
      const answer = await change<T>(details.method ?? 'POST', details.path, body, operation);
      notice.value = details.doneText(answer);
      onClose();
      details.onDone(answer);
    } catch (error) {
      // A refused change was not made. The next attempt is a new change and may have another body.
      if (error instanceof ProblemError && error.status >= 400 && error.status < 500) {
        setOperation(crypto.randomUUID());
      }
      throw error;
    }
  });

  return (
    <Dialog title={details.title} onClose={onClose}>
      <form onSubmit={onSubmit}>
        <div class="consequence">{details.consequence}</div>
        {details.fields}
        <label for={reasonId}>Reason, for the audit trail</label>
        <input id={reasonId} name="reason" required maxLength={MAX_REASON} autocomplete="off" />
        {problem !== undefined && <ProblemText problem={problem} />}
        <div class="buttons">
          <button type="submit" class={details.isDangerous === true ? 'danger' : 'primary'} disabled={isBusy}>
            {details.verb}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns a form field, trimmed. */
export function text(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** Returns the value of a form field as a body member, or an empty object if the field is empty. */
export function given(form: FormData, name: string): Readonly<Record<string, string>> {
  const value = text(form, name);
  return value === '' ? {} : { [name]: value };
}

/** Returns the dialog of a change, for the view to render, and a function that opens the dialog. */
export function useChange(): { ask<T>(details: Change<T>): void; readonly dialog: ComponentChildren } {
  const [dialog, setDialog] = useState<ComponentChildren>(null);
  function close(): void {
    setDialog(null);
  }
  return { ask: (details) => setDialog(<ChangeDialog details={details} onClose={close} />), dialog };
}

/** Shows buttons only to people who may make the changes. */
export function Changes({ role, children }: { readonly role: Role; readonly children: ComponentChildren }) {
  if (may(role)) return <div class="tools">{children}</div>;
  return <p class="muted">Changes here need the role {role}.</p>;
}
