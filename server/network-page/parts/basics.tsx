/** Parts that every view is made of: marks, notices, panels, tables. */
import type { ComponentChildren } from 'preact';

export type MarkKind = 'good' | 'warn' | 'bad' | 'off' | 'mixed';

/** Shapes tell states apart for whoever does not see colours. */
const SHAPES: Readonly<Record<MarkKind, string>> = {
  good: 'M3 8.5 6.5 12 13 4.5',
  warn: 'M8 3v6.5M8 12.2v.8',
  bad: 'M4 4l8 8M12 4l-8 8',
  off: 'M3.5 8h9',
  mixed: 'M3.5 5.5h9M3.5 10.5h9',
};

export function Mark({ kind, children }: { kind: MarkKind; children: ComponentChildren }) {
  return (
    <span class={`mark ${kind}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={SHAPES[kind]} />
      </svg>
      <span>{children}</span>
    </span>
  );
}

/** Says what went wrong; nothing without a text. */
export function Failure({ text, again }: { text: string; again?: () => void }) {
  if (text === '') return null;
  return (
    <div class="notice bad" role="alert">
      <p>{text}</p>
      {again !== undefined && (
        <button type="button" class="plain" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Notice({ kind, children }: { kind: 'good' | 'warn' | 'info'; children: ComponentChildren }) {
  return (
    <div class={`notice ${kind}`} role="status">
      {children}
    </div>
  );
}

interface PanelProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Panel({ title, actions, children, class: name = '' }: PanelProps) {
  return (
    <section class={`panel ${name}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

interface TableProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[];
  readonly empty: string;
}

/** A table that scrolls sideways by itself where it is too wide, with the keyboard too. */
export function DataTable({ label, columns, rows, empty }: TableProps) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" key={column}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <td key={columns[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The head of a page; tests and readers of screens know by it where they are. */
export function PageHead({ title, lead, children }: { title: string; lead?: string; children?: ComponentChildren }) {
  return (
    <div class="page-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </div>
  );
}

export function FactList({ items }: { items: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Stands where something is still asked for. */
export function WaitMark({ what = 'Loading' }: { what?: string }) {
  return (
    <p class="waiting" role="status">
      <span class="spinner" aria-hidden="true" />
      {what}…
    </p>
  );
}
