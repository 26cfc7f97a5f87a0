/** Reads a router's answer to a route: done, or why not; and the data that the host gives to the client. */
import type { Frame } from '../channel/frame.js';
import { RouteResultHeader, readByte, readText, readUint32 } from '../channel/headers.js';

export interface RouteFailure {
  readonly routerId: string;
  /** The router has no such terminator. */
  readonly isTerminatorGone: boolean;
  /** Goes to the client. */
  readonly text: string;
}

const INVALID_TERMINATOR = 1;
const MAX_TEXT_CHARS = 512;

/** The attempt of a circuit that stands and is led over another path. */
export const REROUTE_ATTEMPT = 99_969_996;

export const attemptOf = ({ headers }: Frame): number | undefined => readUint32(headers, RouteResultHeader.Attempt);

/** undefined when the route stands. */
export function routeFailureOf({ headers }: Frame, routerId: string): RouteFailure | undefined {
  if (headers.has(RouteResultHeader.Success)) return undefined;
  const code = readByte(headers, RouteResultHeader.ErrorCode) ?? 0;
  const said = (readText(headers, RouteResultHeader.Error) ?? 'no reason given').slice(0, MAX_TEXT_CHARS);
  return {
    routerId,
    isTerminatorGone: code === INVALID_TERMINATOR,
    text: `error creating route for router r/${routerId}: ${said}`,
  };
}
