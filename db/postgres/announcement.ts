/** Tells all controllers of the database something: `$1` is the channel, `$2` what is said. */
import { read } from './statement.js';

export const ANNOUNCE = read('announce', 'SELECT pg_notify($1, $2)');
