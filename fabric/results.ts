/** The answer that is common to many requests. */
import { ContentType } from './content-types.js';
import { message } from './frame.js';
import type { Message } from './frame.js';
import { Header, ResultHeader, encodeBoolean, encodeUint32 } from './headers.js';

/** @param errorCode  1: we are busy, and the router should ask again */
export function result(isSuccess: boolean, text: string, errorCode?: number): Message {
  return message(ContentType.Result, text, [
    [Header.Success, encodeBoolean(isSuccess)],
    ...(errorCode === undefined ? [] : [[ResultHeader.ErrorCode, encodeUint32(errorCode)] as const]),
  ]);
}
