import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

import { Copy } from './basics.tsx';

/** A modal dialog. The browser keeps the focus in it and restores it afterwards. */
export function Dialog({
  title,
  onClose,
  mustChoose = false,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  /** If set, Escape does not close the dialog, because its content cannot be shown again. */
  readonly mustChoose?: boolean;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!mustChoose) onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** Shows a secret that cannot be shown again. Only the buttons close the dialog. */
export function SecretDialog({
  title,
  what,
  secret,
  onClose,
  children,
}: {
  readonly title: string;
  /** Name of the secret, such as `raw key`. */
  readonly what: string;
  readonly secret: string;
  readonly onClose: () => void;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}) {
  return (
    <Dialog title={title} onClose={onClose} mustChoose>
      <p>Copy it now. Only its digest is stored, so it cannot be shown again.</p>
      <p>
        <code class="secret">{secret}</code>
      </p>
      <Copy text={secret} label={`Copy the ${what}`} />
      <div class="buttons">
        <button type="button" class="primary" onClick={onClose}>
          I have stored it
        </button>
        {children}
      </div>
    </Dialog>
  );
}
