import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** A modal dialog. The browser keeps the focus in it and restores it afterwards. */
export function Dialog({
  title,
  onClose,
  mustChoose = false,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  /** If set, Escape does not close the dialog, whose content is not shown again. */
  readonly mustChoose?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
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
