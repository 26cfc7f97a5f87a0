/** One change in one line: what happened to what, by whom. */
import type { CallData } from '../api/contract.js';
import { linkTo } from '../api/route.js';
import { Mark } from '../parts/basics.js';
import type { MarkKind } from '../parts/basics.js';
import { spaced } from '../parts/words.js';

export type AuditChange = CallData<'management', 'listAudit'>[number];

const MARKS: Readonly<Record<string, MarkKind>> = { created: 'good', deleted: 'bad', failed: 'bad', refused: 'bad' };
const WORDS: Readonly<Record<string, string>> = { created: 'made', updated: 'changed', deleted: 'deleted' };

/** Pages of things by the kinds of entities that the audit names. */
const PAGES: Readonly<Record<string, string>> = {
  identity: 'identity',
  service: 'service',
  servicePolicy: 'policy',
  edgeRouter: 'router',
};

export function ChangeLine({ change }: { change: AuditChange }) {
  const { kind, entityType, entityName, entityId, actor } = change;
  const verb = kind.slice(kind.indexOf('.') + 1);
  const page = PAGES[entityType];
  const name = entityName ?? entityId ?? '';
  const who = actor.name ?? actor.kind;
  const isLogin = kind.startsWith('login.');
  return (
    <>
      <Mark kind={MARKS[verb] ?? 'mixed'}>{isLogin ? `login ${spaced(verb)}` : (WORDS[verb] ?? spaced(verb))}</Mark>
      <span class="what">
        {spaced(entityType)}{' '}
        {page !== undefined && entityId != null && verb !== 'deleted' ? (
          <a href={linkTo([page, entityId])}>{name}</a>
        ) : (
          <b>{name}</b>
        )}
      </span>
      <span class="by">{isLogin && who === name ? '' : `by ${who}`}</span>
    </>
  );
}
