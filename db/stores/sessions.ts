/**
 * Sessions: one identity's right to use one service in one way, as routers ask for it. A session lasts only as long as
 * some service policy still grants what it was made for (session-grants.ts); one whose grant is found lost is removed
 * before the answer that does not show it, and never comes back.
 */
import type { LazyRow, Page, Session } from '../../domain/model.js';
import { notFound } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { change, read, shortChange } from '../postgres/statement.js';
import type { Statement } from '../postgres/statement.js';
import { detailSql } from '../query/table.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { findBasis, insertSession } from './session-creation.js';
import type { BasisQuestion, RequiredPosture, SessionBasis, SessionDraft } from './session-creation.js';
import { IS_CURRENT, IS_GRANTED, sweepGrants, untilChecked } from './session-grants.js';
import { POLICIES, listSessionsOf } from './session-lists.js';
import { IS_ROUTED, JOINS_SERVICE, NO_POLICIES, SERVICE_NAME, session, shownSession } from './session-rows.js';
import type { SessionRow } from './session-rows.js';

/**
 * A statement in two forms. Most often it is known that the session is granted, and the policies are not asked: to have
 * them in a statement that does not need them takes PostgreSQL a quarter of its time.
 */
interface TwoForms<Row> {
  /** `isGranted` only where it is known. */
  readonly known: Statement<Row>;
  /** The same where the policies are asked. */
  readonly asked: Statement<Row>;
}

const twoForms = <Row>(name: string, make: (name: string, isGranted: string) => Statement<Row>): TwoForms<Row> => ({
  known: make(name, IS_CURRENT),
  asked: make(`${name}-asked`, IS_GRANTED),
});

/** @param isSettled  the first answer is good */
async function oneOf<Row>(
  db: Db,
  { known, asked }: TwoForms<Row>,
  values: readonly unknown[],
  isSettled: (row: Row) => boolean,
): Promise<Row | undefined> {
  const row = await db.one(known, values);
  return row === undefined || isSettled(row) ? row : db.one(asked, values);
}

type FoundRow = SessionRow & { readonly isGranted: boolean };
const isGranted = (row: FoundRow) => row.isGranted;

/** `$2` is the owner, or null for all owners. */
const OWNED = 'AND ($2::text IS NULL OR t.identity_id = $2)';
const detailWith = (shape: string, policies: string) =>
  twoForms<FoundRow>(shape, (name, isGranted) =>
    read(
      name,
      detailSql(
        {
          ...session.source,
          joins: JOINS_SERVICE,
          extras: `${SERVICE_NAME}, ${IS_ROUTED}, ${policies}, ${isGranted} AS "isGranted"`,
        },
        OWNED,
      ),
    ),
  );
const DETAIL = detailWith('session-detail-any', POLICIES);
const OWN_DETAIL = detailWith('session-detail-own', NO_POLICIES);

const BY_TOKEN = twoForms<FoundRow>('session-by-token', (name, isGranted) =>
  read(
    name,
    `SELECT ${session.columns}, ${SERVICE_NAME}, ${IS_ROUTED}, ${NO_POLICIES},
  ${isGranted} AS "isGranted"
FROM sessions t ${JOINS_SERVICE} WHERE t.token = $1 AND t.api_session_id = $2`,
  ),
);

interface Removal {
  readonly is_there: boolean;
  readonly is_removed: boolean;
}

/** One that is unchecked and depends on posture stays, to be checked first. */
const REMOVE = twoForms<Removal>('session-delete', (name, isGranted) =>
  shortChange(
    name,
    { row: 0 },
    ({ actor }) => `WITH found AS (SELECT t.id, ${isGranted} AS is_granted FROM sessions t WHERE t.id = $1 ${OWNED}),
removed AS (DELETE FROM sessions t USING found f WHERE t.id = f.id AND f.is_granted RETURNING t.id${actor})
SELECT EXISTS (SELECT FROM found) AS is_there, EXISTS (SELECT FROM removed) AS is_removed`,
  ),
);

const NEXT_END = read<{ ms: number | null }>(
  'session-next-end',
  `SELECT (extract(epoch FROM min(granted_until) - statement_timestamp()) * 1000)::float8 AS ms
FROM sessions WHERE granted_until < 'infinity'`,
);

export interface SessionStore {
  /** @param identityId  its owner; null for any owner. @throws DomainError `notFound` */
  get(id: string, identityId: string | null): Promise<Session>;
  /** The session of this API session with this token, while it is granted. */
  findByToken(token: string, apiSessionId: string): Promise<Session | undefined>;
  /** Every session of the page is granted. The total may count ones unchecked for as long as the sweep takes. */
  list(request: ListRequest, identityId: string | null): Promise<Page<LazyRow<Session>>>;
  /**
   * undefined when there is no such service or identity, or when the API session may not have the session that is
   * there; of one that is to be made this is asked only where `wasRefused`.
   */
  findBasis(question: BasisQuestion): Promise<SessionBasis | undefined>;
  /**
   * The session of this use: an earlier one when it has one already; undefined when the identity is no longer as
   * `basis` says, its API session is no longer fully authenticated, or its posture not as `posture` says.
   */
  create(draft: SessionDraft, basis: SessionBasis, posture?: RequiredPosture): Promise<Session | undefined>;
  remove(id: string, identityId: string | null): Promise<void>;
  /** Deletes a session that was seen without a grant, even if a grant has come back since. */
  end(id: string): Promise<void>;
  /** Asks the policies about up to `max` sessions unchecked. */
  sweep(max: number): Promise<{ seen: number; removed: number }>;
  /** Milliseconds until the time of some session is over; null: that of none ever is. */
  nextEnd(): Promise<number | null>;
}

const END = change('session-end', ({ returningActor }) => `DELETE FROM sessions WHERE id = $1${returningActor}`);

export function sessionStore(db: Db, lists: Lists): SessionStore {
  return {
    async get(id, identityId) {
      const statement = identityId === null ? DETAIL : OWN_DETAIL;
      return untilChecked(db, async () => {
        const row = await oneOf(db, statement, [id, identityId], isGranted);
        if (row === undefined) throw notFound(session.name, id);
        return row.isGranted ? { found: await shownSession(db, row) } : { uncheckedId: id };
      });
    },
    findByToken: (token, apiSessionId) =>
      untilChecked(db, async () => {
        const row = await oneOf(db, BY_TOKEN, [token, apiSessionId], isGranted);
        if (row === undefined) return { found: undefined };
        return row.isGranted ? { found: await shownSession(db, row) } : { uncheckedId: row.id };
      }),
    list: (request, identityId) => listSessionsOf(db, lists, request, identityId),
    findBasis: (question) => findBasis(db, question),
    create: (draft, basis, posture) => insertSession(db, draft, basis, posture),
    remove: (id, identityId) =>
      untilChecked(db, async () => {
        const isOver = (row: Removal) => row.is_removed || !row.is_there;
        const row = await oneOf(db, REMOVE, [id, identityId], isOver);
        if (row?.is_there !== true) throw notFound(session.name, id);
        return row.is_removed ? { found: undefined } : { uncheckedId: id };
      }),
    async end(id) {
      await db.execute(END, [id]);
    },
    sweep: (max) => sweepGrants(db, max),
    async nextEnd() {
      const rows = await db.many(NEXT_END);
      return rows[0]?.ms ?? null;
    },
  };
}
