/** Inspections: values of what routers and controllers hold at this moment. */
import type { InspectionAnswer } from '../../domain/fabric/inspection.js';
import type * as Response from '../../generated/fabric-api/response.js';
import { raw } from '../handler.js';
import type { Handler } from '../handler.js';
import { inspected } from './inspected.js';

/** POST /inspections. Fails: `rateLimited` while as many as may be are under way. */
export const inspect: Handler<'fabric', 'inspect'> = async ({ body }, context) => {
  const found = await inspected(body.appRegex, body.requestedValues, context);
  return answer(found === 'badPattern' ? { values: [], errors: ['appRegex is no regular expression'] } : found);
};

/** It stands in no envelope. */
function answer({ values, errors }: InspectionAnswer) {
  const found: Response.InspectResponse = {
    errors: errors.length === 0 ? null : [...errors],
    success: errors.length === 0,
    values: values.length === 0 ? null : [...values],
  };
  return raw('application/json', JSON.stringify(found));
}
