/** Numbers, times and names in words. */

const NUMBER = new Intl.NumberFormat('en');
export const numberText = (value: number): string => NUMBER.format(value);

/** `1 router`, `2 routers`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
export function bytesText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${value >= 100 || step === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[step] ?? 'B'}`;
}

const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
export const timeText = (at: string): string => DATE_TIME.format(new Date(at));

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
export const clockText = (at: string): string => CLOCK.format(new Date(at));

const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
export const hourText = (at: string): string => HOUR.format(new Date(at));

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
export const dayText = (at: string): string => DAY.format(new Date(at));

const STEPS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400 * 365, 'year'],
  [86_400 * 30, 'month'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** `3 minutes ago`, `in 2 days`, `just now`. */
export function agoText(at: string, now = Date.now()): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const [unit, name] = STEPS.find(([step]) => Math.abs(seconds) >= step) ?? [1, ''];
  if (name === '' || Math.abs(seconds) < 5) return 'just now';
  const amount = countText(Math.round(Math.abs(seconds) / unit), name);
  return seconds < 0 ? `${amount} ago` : `in ${amount}`;
}

/** `servicePolicy` as `service policy`. */
export const spaced = (word: string): string => word.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

/** A text in a filter. */
export const filterText = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;
