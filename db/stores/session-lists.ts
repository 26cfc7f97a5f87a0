/** Lists of sessions: one that is found to be granted no more is removed before its page is answered. */
import type { Page, Session } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { inAll, referringTo, rowsWhere } from '../query/scopes.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { ListSource } from '../query/table.js';
import {
  GRANTS_EPOCH_FOR_ALL,
  IS_CURRENT,
  IS_GRANTED,
  ROUNDS,
  SELECTING,
  SESSIONS_OF_NARROWED,
  UNSWEPT_SERVICES,
  checkGrants,
  isCurrent,
} from './session-grants.js';
import { JOINS_SERVICE, NO_POLICIES, SERVICE_NAME, session, sessionFrom, useOf } from './session-rows.js';
import type { SessionRow } from './session-rows.js';
import { routersFor } from './session-routers.js';

interface ListedRow extends SessionRow {
  readonly isCurrent: boolean;
  readonly hasUnchecked: boolean;
}

/** A session of a page, and whether it and all others that the page may count are known to be granted. */
interface Listed {
  readonly session: Session;
  readonly isCurrent: boolean;
  readonly hasUnchecked: boolean;
  /** Some router may be connected. */
  readonly hasChannels: boolean;
}

/** The policies that grant the session. */
export const POLICIES = `(SELECT json_agg(json_build_object('id', p.id, 'name', p.name) ORDER BY p.id)
  ${SELECTING}) AS policies`;

/** The end of an index. A search for an unchecked one would read all of them, since there is usually none. */
const IS_SOME_OLD = `(SELECT min(d.granted_epoch) FROM sessions d) < ${GRANTS_EPOCH_FOR_ALL}`;
const IS_SOME_NARROWED = `EXISTS (SELECT FROM ${UNSWEPT_SERVICES} AND EXISTS (SELECT FROM ${SESSIONS_OF_NARROWED}))`;
const IS_SOME_OVER = `coalesce(
  now() >= (SELECT min(d.granted_until) FROM sessions d WHERE d.granted_until < 'infinity'), false)`;
const HAS_UNCHECKED = `(${IS_SOME_OVER} OR ${IS_SOME_OLD} OR ${IS_SOME_NARROWED}) AS "hasUnchecked"`;
const hasUncheckedOf = (identity: string) =>
  `(SELECT bool_or(NOT ${isCurrent('d')}) FROM sessions d WHERE d.identity_id = ${identity}) AS "hasUnchecked"`;

const CHECKED = `${IS_CURRENT} AS "isCurrent"`;

const ALL_SESSIONS: ListSource<ListedRow, Listed> = {
  ...session.source,
  joins: JOINS_SERVICE,
  extras: `${SERVICE_NAME}, ${POLICIES}, ${CHECKED}, ${HAS_UNCHECKED}`,
  fromRow: (row) => ({
    session: sessionFrom(row),
    isCurrent: row.isCurrent,
    hasUnchecked: row.hasUnchecked,
    hasChannels: row.hasChannels,
  }),
};
const CALLER_SESSIONS = {
  ...ALL_SESSIONS,
  symbols: session.clientSymbols,
  extras: `${SERVICE_NAME}, ${NO_POLICIES}, ${CHECKED}`,
};

/** Sessions of all identities, with their policies; or those of one identity, which does not see policies. */
const sourceOf = (identityId: string | null): ListSource<ListedRow, Listed> =>
  identityId === null
    ? ALL_SESSIONS
    : {
        ...CALLER_SESSIONS,
        readerExtras: { name: 'own', sql: (bind) => hasUncheckedOf(bind(identityId)) },
      };

/** Sessions unchecked that a list checks beyond those of its page: with no more than these, totals are exact. */
const OTHERS = 100;
/** Checked in one transaction before a list without limit. */
const SLICE = 500;

const granted = rowsWhere('granted', () => IS_GRANTED);
const scopeOf = (identityId: string | null, isChecked: boolean) => {
  const own = referringTo('identity_id', identityId ?? undefined);
  return isChecked ? inAll(own, granted) : own;
};

async function withRouters(db: Db, listed: readonly Listed[]): Promise<Session[]> {
  const sessions = listed.map(({ session }) => session);
  if (listed[0]?.hasChannels !== true) return sessions;
  const routers = await routersFor(db, sessions.map(useOf));
  return sessions.map((session) => ({ ...session, edgeRouters: routers(useOf(session)) }));
}

/** One batch after another, each when it is asked for. */
async function* each<A, B>(batches: AsyncIterable<A>, act: (batch: A) => Promise<B>): AsyncIterable<B> {
  for await (const batch of batches) yield await act(batch);
}

const sessionsOf = async (db: Db, { items, rest, ...page }: Page<Listed>): Promise<Page<Session>> => ({
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
): Promise<Page<Session>> {
  const source = sourceOf(identityId);
  const page = (isChecked: boolean) => lists.page(db, source, request, scopeOf(identityId, isChecked));
  // For a list without limit, and after too many rounds, the grants are asked for in the list itself.
  const rounds = lists.isUnlimited(source, request) ? 0 : ROUNDS;
  for (let round = 0; round < rounds; round += 1) {
    const found = await page(false);
    const unchecked = found.items.filter(({ isCurrent }) => !isCurrent);
    const isExact = round > 0 || found.items[0]?.hasUnchecked !== true;
    if (unchecked.length === 0 && isExact) return sessionsOf(db, found);
    await checkGrants(db, { ids: unchecked.map(({ session }) => session.id), others: OTHERS, identityId });
  }
  while ((await checkGrants(db, { ids: [], others: SLICE, identityId })).seen === SLICE);
  return sessionsOf(db, await page(true));
}
