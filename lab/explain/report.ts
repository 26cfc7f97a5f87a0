/** The table of all plans, as Markdown. */
import type { Scale } from './scale.js';
import type { PlanSummary } from './plan.js';

export interface StatementReport extends PlanSummary {
  /** Of its plan, without the ending. */
  readonly file: string;
  /** Under which it is kept prepared; null when its text varies. */
  readonly statement: string | null;
  /** Reasons why a big table may be read from end to end. */
  readonly allowed: Readonly<Record<string, string>>;
}

const HEAD = (scale: Scale): string => `# Plans of the hot statements

Do not edit: this is \`DIR/plans.md\` of
\`npm run explain -- --write DIR --identities ${scale.identities} --services ${scale.services}\`.
The plans themselves are beside it in DIR, a text file each. They are not kept: to see whether a change of statements or
tables changes a plan, write those of the tree before it, and run \`npm run explain -- --compare DIR\` after it.

The statements are those that the stores send, with values as requests have them. Rows are those of the answer, pages
are the 8 KiB pages that were touched, to two digits. A statement that is kept prepared is shown with the plan that
PostgreSQL settles for after some runs. "Whole table" names big tables of which at least half is read, in their own
order or along an index, by the statement or by what it sets off, and why that is all right.

| plan | prepared | rows | pages | whole table |
| --- | --- | --- | --- | --- |
`;

export function indexOf(reports: readonly StatementReport[], scale: Scale): string {
  const lines = reports.map(({ file, statement, rows, pages, scanned, allowed }) => {
    const scans = scanned.map((table) => `${table}: ${allowed[table] ?? '**no reason**'}`).join('; ');
    return `| ${file} | ${statement === null ? 'no' : 'yes'} | ${rows} | ${pages} | ${scans} |\n`;
  });
  return HEAD(scale) + lines.join('');
}
