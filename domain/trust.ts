/**
 * Whether what is kept in memory may be believed at this moment: all changes of up to a moment ago have been heard. It
 * is asked at each use, since trust ends by itself when nothing is heard.
 */
export type Trust = () => boolean;

export const noTrust: Trust = () => false;
