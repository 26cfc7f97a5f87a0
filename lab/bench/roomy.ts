/** Settings of controllers that are measured: a few identities do there what in a network many do. */
export const ROOMY = {
  EDGE_LIMIT_API_SESSIONS_PER_IDENTITY: '1000000',
  EDGE_LIMIT_OWN_CHANGES: '1000000',
  EDGE_LIMIT_CERTIFICATES_PER_IDENTITY: '1000000',
} as const;
