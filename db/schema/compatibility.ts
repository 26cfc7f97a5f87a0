/**
 * Tells which releases can work with a schema. A migration that only expands it leaves what an earlier release reads
 * and writes as it was: new tables, new columns that are null or have a default, new functions and triggers that ask
 * nothing of who does not know them. One that does more contracts it. The database keeps, with each migration, the last
 * one that contracted: a release that knows it can work with all that follow (docs/operations/upgrades.md).
 */

/** Migrations that only expand. What is not named here counts as one that contracts, which is safe. */
export const EXPANDING: ReadonlySet<string> = new Set<string>([
  '0022-full-api-sessions',
  '0023-switches-of-config-types',
  '0024-sessions-at-routers',
  '0025-names-and-addresses',
  '0026-bounded-logins',
  '0027-moves-at-commit',
  '0028-audit-of-the-rest',
  '0029-empty-texts',
  '0030-second-factor-guesses',
  '0031-cheaper-moves',
  '0032-audit-by-columns',
  '0033-surplus-in-order',
  '0034-cheaper-audit',
  '0035-sessions-without-grant',
  '0036-server-names',
  '0037-links',
  '0038-config-targets',
  '0039-router-capabilities',
  '0040-stand-ins',
  '0041-quiesced-routers',
  '0042-told-before-use',
  '0043-model-announcements',
  '0044-bearer-sessions',
  '0045-circuits-outlive-hosts',
  '0046-change-of-root',
  '0047-terminator-costs',
  '0048-fabric-services',
  '0049-inspections',
  '0050-usage-hours',
  '0051-names-by-bytes',
  '0052-link-listeners',
  '0053-connected-identities',
  '0054-clients-at-routers',
  '0055-last-uses',
  '0056-overview-counts',
  '0063-narrowed-services',
  '0064-audit-of-further-columns',
  '0065-changes-of-one-statement',
  '0066-cheaper-deletes',
  '0067-selectors-at-once',
  '0068-audit-in-one-statement',
  '0069-dependents-that-are-there',
  '0070-cheaper-ends',
  '0071-claims-hold-identities',
  '0072-pages-by-keys',
]);

/** The place of a migration among all, of any release: the number that its name begins with. */
const numberOf = (migration: string): number => Number(/^\d+/.exec(migration)?.[0] ?? NaN);

/** The last migration that a release must know to work with the schema that these make, in order. */
export function leastKnown(migrations: readonly string[], expanding = EXPANDING): string {
  return migrations.filter((name, index) => index === 0 || !expanding.has(name)).at(-1) ?? '';
}

const WORDS = 'Works with every release that knows the migration ';

/** The statement that keeps it, as a comment of the table of migrations. */
export function keepLeastKnown(migration: string): string {
  if (!/^[\w-]+$/.test(migration)) throw new Error(`no name of a migration: ${migration}`);
  return `COMMENT ON TABLE schema_migrations IS '${WORDS}${migration}'`;
}

/**
 * Whether a release can work with a database that has migrations of later ones.
 * @param known  the migrations of the release
 * @param comment  of the table of migrations; null for a database of a release that kept none
 */
export function isCompatible(known: readonly string[], comment: string | null): boolean {
  const least = comment?.startsWith(WORDS) === true ? comment.slice(WORDS.length) : '';
  return /^\d+-[\w-]+$/.test(least) && numberOf(least) <= numberOf(known.at(-1) ?? '');
}
