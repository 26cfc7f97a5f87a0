/**
 * The version of a stored entity, as a word for entity tags: the time of its last change, which every change moves on
 * by a millisecond at least. An equal version means that nothing that can be set was changed.
 */
export const versionOf = (changedAt: Date): string => changedAt.getTime().toString(36);
