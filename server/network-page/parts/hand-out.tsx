/** Hands a text to a person: to copy, as a file, as a QR code. */
import { create } from 'qrcode';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

const COPIED_MS = 2000;

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      setSaid('The browser did not allow it: select the text and copy it');
    }
    window.setTimeout(() => {
      setSaid('');
    }, COPIED_MS);
  };
  return (
    <>
      <button type="button" class="plain" onClick={() => void copy()}>
        {label}
      </button>
      <span class="said" role="status">
        {said}
      </span>
    </>
  );
}

/** A text that is long and meant to be copied whole. */
export function CopyText({ label, text }: { label: string; text: string }) {
  return (
    <figure class="copy-text">
      <figcaption>
        {label} <CopyButton text={text} label="Copy" />
      </figcaption>
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}

/** The file is made here: its address is of this page alone, and goes with it. */
export function FileLink({ name, text, label }: { name: string; text: string; label: string }) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    const address = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
    if (link.current !== null) link.current.href = address;
    return () => {
      URL.revokeObjectURL(address);
    };
  }, [text]);
  return (
    <a ref={link} class="button primary" download={name}>
      {label}
    </a>
  );
}

const QUIET = 4;

export function QrCode({ text, label }: { text: string; label: string }) {
  const [size, path] = useMemo(() => {
    const { modules } = create(text, { errorCorrectionLevel: 'L' });
    const squares: string[] = [];
    for (let row = 0; row < modules.size; row += 1)
      for (let column = 0; column < modules.size; column += 1)
        if (modules.get(row, column) !== 0) squares.push(`M${column + QUIET} ${row + QUIET}h1v1h-1z`);
    return [modules.size + 2 * QUIET, squares.join('')];
  }, [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
