/**
 * How much a GIN index may put off, in KiB. A reader looks through all that is put off, and one writer in turn files it
 * away: at 128 a filter on names takes 1 ms where the usual 4 MiB made it 7, and nobody waits long for the filing.
 */
export const PENDING = 'WITH (gin_pending_list_limit = 128)';
