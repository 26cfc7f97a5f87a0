/** A dialog over the page. The browser keeps the focus in it, gives it back, and closes it with Escape. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly lead?: string;
  /** Undefined for a dialog that has to be answered. */
  readonly onClose?: (() => void) | undefined;
  readonly children: ComponentChildren;
}

export function Dialog({ title, lead, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const before = document.activeElement;
    const { current } = element;
    current?.showModal();
    return () => {
      current?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <header>
        <div>
          <h2 id={name}>{title}</h2>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {onClose !== undefined && (
          <button type="button" class="icon" aria-label="Close" onClick={onClose}>
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d="M4 4l8 8M12 4l-8 8" />
            </svg>
          </button>
        )}
      </header>
      <div class="body">{children}</div>
    </dialog>
  );
}
