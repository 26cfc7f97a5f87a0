/** When an identity is disabled, for every statement that asks. */

/**
 * Whether the identity `alias` is disabled: from `disabled_at` until `disabled_until`, that moment excluded; null is
 * for good. Never null itself.
 */
export const isDisabledSql = (alias: string): string =>
  `(${alias}.disabled_at IS NOT NULL AND (${alias}.disabled_until IS NULL OR ${alias}.disabled_until > now()))`;
