/** Changes that wait for no standby. */

/**
 * The same for a change of one statement: it goes into its RETURNING, and the statement goes through `run`. What it
 * says holds until the commit, and costs nothing.
 */
export const EXPENDABLE = "set_config('synchronous_commit', 'local', true)";
