/** Lists of sessions: one that is found to be granted no more is removed before its page is answered. */
import type { LazyRow, Page, Session } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { inAll, referringTo, rowsWhere } from '../query/scopes.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { ListSource, ReaderExtras } from '../query/table.js';
import {
  GRANTS_EPOCH_FOR_ALL,
  IS_CURRENT,
  IS_GRANTED,
  ROUNDS,
  SELECTS_BOTH,
  SESSIONS_OF_NARROWED,
  UNSWEPT_SERVICES,
  checkGrants,
  isCurrent,
  withSelectors,
} from './session-grants.js';
import { IS_ROUTED, JOINS_SERVICE, NO_POLICIES, SERVICE_NAME, session, sessionFrom, useOf } from './session-rows.js';
import type { SessionRow } from './session-rows.js';
import { routersFor } from './session-routers.js';

/**
 * The policies that grant session `t` of service `s`. Whoever shows them knows that it is granted, so whether its
 * identity is enabled and its API session a full one is not asked again.
 */
export const POLICIES = `(SELECT json_agg(json_build_object('id', p.id, 'name', p.name) ORDER BY p.id)
  FROM ${withSelectors('identities', 'e.id = t.identity_id')} ti
  CROSS JOIN (SELECT s.id, s.role_attributes, selectors_of(s.id, s.role_attributes) AS selectors OFFSET 0) ts
  JOIN service_policies p ON p.type = t.type AND ${SELECTS_BOTH}) AS policies`;

/** The end of an index. A search for an unchecked one would read all of them, since there is usually none. */
const IS_SOME_OLD = `(SELECT min(d.granted_epoch) FROM sessions d) < ${GRANTS_EPOCH_FOR_ALL}`;
const IS_SOME_NARROWED = `EXISTS (SELECT FROM ${UNSWEPT_SERVICES} AND EXISTS (SELECT FROM ${SESSIONS_OF_NARROWED}))`;
const IS_SOME_OVER = `coalesce(
  now() >= (SELECT min(d.granted_until) FROM sessions d WHERE d.granted_until < 'infinity'), false)`;
const HAS_UNCHECKED = `(${IS_SOME_OVER} OR ${IS_SOME_OLD} OR ${IS_SOME_NARROWED}) AS "hasUnchecked"`;
const hasUncheckedOf = (identity: string) =>
  `(SELECT bool_or(NOT ${isCurrent('d')}) FROM sessions d WHERE d.identity_id = ${identity}) AS "hasUnchecked"`;

/** The last columns but `hasUnchecked`, in the order in which `flagsOf` reads all three. */
const FLAGS = `${IS_ROUTED}, ${IS_CURRENT} AS "isCurrent"`;

interface Flags {
  /** Some router may be connected. */
  readonly isRouted: boolean;
  /** It is known to be granted. */
  readonly isCurrent: boolean;
  /** Others that the page may count are not. */
  readonly hasUnchecked: boolean;
}

/** Reads them off the end of the row, such as `...,f,t,f)`, so that a known row is not taken apart for them. */
function flagsOf({ text }: LazyRow<Session>): Flags {
  const [isRouted, isCurrent, hasUnchecked] = text.slice(-6, -1).split(',');
  return { isRouted: isRouted !== 'f', isCurrent: isCurrent === 't', hasUnchecked: hasUnchecked !== 'f' };
}

const ALL_SESSIONS: ListSource<SessionRow, Session> = {
  ...session.source,
  joins: JOINS_SERVICE,
  extras: `${SERVICE_NAME}, ${POLICIES}, ${FLAGS}, ${HAS_UNCHECKED}`,
  fromRow: sessionFrom,
};
const CALLER_SESSIONS = {
  ...ALL_SESSIONS,
  symbols: session.clientSymbols,
  extras: `${SERVICE_NAME}, ${NO_POLICIES}, ${FLAGS}`,
};

const ownCheckedOf = (identityId: string): ReaderExtras => ({
  name: 'own',
  sql: (bind) => hasUncheckedOf(bind(identityId)),
});

/** Sessions unchecked that a list checks beyond those of its page: with no more than these, totals are exact. */
const OTHERS = 100;
/** Checked in one transaction before a list without limit. */
const SLICE = 500;

const granted = rowsWhere('granted', () => IS_GRANTED);
const scopeOf = (identityId: string | null, isChecked: boolean) => {
  const own = referringTo('identity_id', identityId ?? undefined);
  return isChecked ? inAll(own, granted) : own;
};

/** The sessions with their edge routers, which they show beside their rows. */
async function withRouters(db: Db, rows: readonly LazyRow<Session>[]): Promise<readonly LazyRow<Session>[]> {
  const [first] = rows;
  if (first === undefined || !flagsOf(first).isRouted) return rows;
  const found = rows.map((row) => ({ row, session: row.read() }));
  const routers = await routersFor(
    db,
    found.map(({ session }) => useOf(session)),
  );
  return found.map(({ row, session }) => {
    const edgeRouters = routers(useOf(session));
    const text = `${row.text} ${JSON.stringify(edgeRouters)}`;
    return { id: row.id, text, read: () => ({ ...session, edgeRouters }) };
  });
}

/** One batch after another, each when it is asked for. */
async function* each<A, B>(batches: AsyncIterable<A>, act: (batch: A) => Promise<B>): AsyncIterable<B> {
  for await (const batch of batches) yield await act(batch);
}

const shown = async (db: Db, { items, rest, ...page }: Page<LazyRow<Session>>): Promise<Page<LazyRow<Session>>> => ({
  ...page,
  items: await withRouters(db, items),
  ...(rest === undefined ? {} : { rest: each(rest, (batch) => withRouters(db, batch)) }),
});

/** Lists the sessions of this identity; null: of all. */
export async function listSessionsOf(
  db: Db,
  lists: Lists,
  request: ListRequest,
  identityId: string | null,
): Promise<Page<LazyRow<Session>>> {
  // An identity does not see the policies that grant its sessions.
  const source = identityId === null ? ALL_SESSIONS : CALLER_SESSIONS;
  const extras = identityId === null ? undefined : ownCheckedOf(identityId);
  const page = (isChecked: boolean) => lists.unread(db, source, request, scopeOf(identityId, isChecked), extras);
  // For a list without limit, and after too many rounds, the grants are asked for in the list itself.
  const rounds = lists.isUnlimited(source, request) ? 0 : ROUNDS;
  for (let round = 0; round < rounds; round += 1) {
    const found = await page(false);
    const flags = found.items.map(flagsOf);
    const ids = found.items.filter((_, at) => flags[at]?.isCurrent !== true).map(({ id }) => id);
    const isExact = round > 0 || flags[0]?.hasUnchecked !== true;
    if (ids.length === 0 && isExact) return shown(db, found);
    await checkGrants(db, { ids, others: OTHERS, identityId });
  }
  while ((await checkGrants(db, { ids: [], others: SLICE, identityId })).seen === SLICE);
  return shown(db, await page(true));
}
