/** The answer that is common to many requests. */
import { ContentType } from './content-types.js';
import { message } from './frame.js';
import type { Message } from './frame.js';
import { Header, ResultHeader, encodeBoolean, encodeUint32 } from './headers.js';

/** The code by which a router asks again later. */
export const BUSY = 1;

export function result(isSuccess: boolean, text: string, errorCode?: number): Message {
  return message(ContentType.Result, text, [
    [Header.Success, encodeBoolean(isSuccess)],
    ...(errorCode === undefined ? [] : [[ResultHeader.ErrorCode, encodeUint32(errorCode)] as const]),
  ]);
}
