/**
 * The version of a stored entity, as a word for entity tags: the time of its last change, which every change moves on
 * by a millisecond at least. An equal version means that nothing that can be set was changed.
 */
export const versionOf = (changedAt: Date): string => changedAt.getTime().toString(36);

/**
 * The collection of the path at which an entity is read and changed, `services` of `/services/{id}`; settings of a
 * controller are changed under `/effective`. undefined for all other paths.
 */
export const collectionOf = (path: string): string | undefined =>
  /^\/([a-z-]+)\/\{id\}(?:\/effective)?$/.exec(path)?.[1];
