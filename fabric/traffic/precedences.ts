/** Precedence of terminators, on the wire and here; both families of messages number them alike. */
import type { HostingPrecedence } from '../../domain/model.js';
import { malformed } from '../channel/malformed.js';

const PRECEDENCES: readonly HostingPrecedence[] = ['default', 'required', 'failed'];

/** @throws MalformedError */
export function precedenceOf(value: number): HostingPrecedence {
  const precedence = PRECEDENCES[value];
  if (precedence === undefined) throw malformed(`precedence ${value} is none`);
  return precedence;
}
