/**
 * Why a filter or a sort order was refused. The texts are what the field's tools show, so they are kept word for word.
 */
import { DomainError } from '../../domain/errors.js';

/** Parameter of the list that is wrong: both are parsed by the same grammar. */
export type FaultKind = 'invalidFilter' | 'invalidSort';

/** Long literals are not echoed whole. */
const MAX_SHOWN = 100;

/** @param sentence  what to write instead */
export function filterFault(kind: FaultKind, message: string, sentence?: string): DomainError {
  return new DomainError(kind, { causeMessage: message, sentence });
}

export function shown(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
