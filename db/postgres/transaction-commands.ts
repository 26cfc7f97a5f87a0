/** How transactions begin and end. */
import { unprepared } from './statement.js';
import type { Sendable } from './statement.js';

export const BEGIN: Sendable = { name: 'begin', label: 'BEGIN', text: 'BEGIN' };
export const BEGIN_SNAPSHOT = unprepared('BEGIN', 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
/** A cursor is planned for all of its rows, where PostgreSQL plans others for their first tenth. */
export const BEGIN_WHOLE_SNAPSHOT = unprepared('BEGIN', `${BEGIN_SNAPSHOT.text}; SET LOCAL cursor_tuple_fraction = 1`);
/** Two commands in one message. On disk here before it is answered, whatever the standbys do. */
export const BEGIN_ASYNC = unprepared('BEGIN', 'BEGIN; SET LOCAL synchronous_commit = local');
export const BEGIN_UNSYNCED = unprepared('BEGIN', 'BEGIN; SET LOCAL synchronous_commit = off');
export const COMMIT = unprepared('COMMIT', 'COMMIT');
