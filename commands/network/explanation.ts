/** Asks a network why an identity reaches a service, and writes the answer for a terminal. */
import type { JsonObject } from '../../domain/model.js';
import { asText, displayed, isObject } from '../../domain/network-files/values.js';
import { ChangeRefused } from './access.js';
import type { Reader } from './access.js';

export interface Question {
  /** Names or ids. */
  readonly identity: string;
  readonly service: string;
  readonly router: string | undefined;
  readonly isBind: boolean;
}

/** @throws ChangeRefused for what the network does not have */
export async function explanationOf(
  reader: Pick<Reader, 'find' | 'get'>,
  { identity, service, router, isBind }: Question,
): Promise<JsonObject> {
  const id = await idOf(reader, 'listIdentities', 'identity', identity);
  const serviceId = await idOf(reader, 'listServices', 'service', service);
  const routerId = router === undefined ? undefined : await idOf(reader, 'listEdgeRouters', 'edge router', router);
  return reader.get('explainIdentityAccess', {
    params: { id, serviceId },
    query: { type: isBind ? 'bind' : 'dial', ...(routerId === undefined ? {} : { routerId }) },
  });
}

/** An id that is another entity's name is taken as the name, as elsewhere. */
async function idOf({ find }: Pick<Reader, 'find'>, list: string, title: string, given: string): Promise<string> {
  const quoted = JSON.stringify(given);
  const found = await find(list, `name = ${quoted} or id = ${quoted}`);
  const named = found.find(({ name }) => name === given) ?? found[0];
  if (named === undefined) throw new ChangeRefused(`There is no ${title} with the name or id ${displayed(given)}.`);
  return asText(named['id']);
}

const MARKS: Readonly<Record<string, string>> = { passes: '+', stops: 'x', skipped: '.', hidden: '?' };
const STEP_WIDTH = 12;

export function explanationText(answer: JsonObject): string {
  const lines: string[] = [];
  for (const link of objectsIn(answer['links'])) {
    const step = asText(link['step']).padEnd(STEP_WIDTH);
    lines.push(`${MARKS[asText(link['state'])] ?? ' '} ${step} ${shown(link['finding'])}`);
    for (const { isPassing, name, finding, wanted, found } of objectsIn(link['items'])) {
      const about = wanted === undefined ? '' : ` Wanted: ${shown(wanted)}. Found: ${shown(found)}.`;
      lines.push(`    ${isPassing === true ? '+' : 'x'} ${shown(name)}: ${shown(finding)}${about}`);
    }
  }
  lines.push(shown(answer['verdict']));
  if (asText(answer['remedy']) !== '') lines.push(`To do: ${shown(answer['remedy'])}`);
  return `${lines.join('\n')}\n`;
}

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Removes control characters: names are what others typed, and could move the cursor. */
const shown = (value: unknown): string =>
  (typeof value === 'string' ? value : '').replace(
    /\p{C}/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
