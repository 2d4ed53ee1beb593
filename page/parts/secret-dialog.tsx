import type { ComponentChildren, JSX } from 'preact';

import { Copy } from './basics.tsx';
import { Dialog } from './dialog.tsx';

/** Shows a secret that cannot be shown again. Only the buttons close it. */
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
}): JSX.Element {
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
