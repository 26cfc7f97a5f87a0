// Sets of values that the code keeps. A document names one by `x-enum-from`, and the bundle puts its values there as
// `enum`, so that they are written once.

import { ERROR_TABLE } from '../server/http/error-table.js';
import type { JsonValue } from './spec-document.js';

const sources: Readonly<Record<string, readonly string[]>> = {
  'error-table': [...new Set(Object.values(ERROR_TABLE).map(({ code }) => code))].sort(),
};

/** Puts `enum` in the place of each `x-enum-from`. @throws Error for a set that is not known */
export function fillEnums(value: JsonValue): void {
  if (Array.isArray(value)) value.forEach(fillEnums);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const source = value['x-enum-from'];
  if (typeof source === 'string') {
    const values = sources[source];
    if (values === undefined) throw new Error(`x-enum-from: '${source}' is none of ${Object.keys(sources).join(', ')}`);
    delete value['x-enum-from'];
    value['enum'] = [...values];
  }
  Object.values(value).forEach(fillEnums);
}
