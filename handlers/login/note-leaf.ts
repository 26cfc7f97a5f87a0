/** Notes for the log which certificate a client showed. */
import { certFingerprint } from '../../domain/pki/keys.js';
import type { Note } from '../handler.js';

export function noteLeaf([leaf]: readonly Buffer[], note: Note): void {
  if (leaf !== undefined) note({ fingerprint: certFingerprint(leaf) });
}
