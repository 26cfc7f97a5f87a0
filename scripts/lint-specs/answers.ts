/** Rules for answers: headers, media types, error codes, formats of numbers, and definitions that nothing uses. */
import { resolveResponse } from '../spec-document.js';
import type { OpenApiDocument, Operation } from '../spec-document.js';
import { definitionsFrom, dereference } from '../spec-lookup.js';
import { requestDefinitions } from '../spec-nulls.js';
import { isProvider, operationsOf, schemasOf } from './walk.js';
import type { Report, ReportAt } from './walk.js';

/** The header that each answer of a status declares, next to those of the operation's own. */
const headersOf: Readonly<Record<string, string>> = {
  '201': 'Location',
  '302': 'Location',
  '401': 'WWW-Authenticate',
  '429': 'Retry-After',
  default: 'Allow',
};

/** A report of a device has no address, nor has a second factor within a login. */
const withoutLocation = ['createPostureResponse', 'beginTotp'];

function headers(document: OpenApiDocument, reportAt: ReportAt): void {
  for (const { operation, method, path } of operationsOf(document)) {
    const report = reportAt(`${method.toUpperCase()} ${path}`);
    for (const [status, response] of Object.entries(operation.responses)) {
      const name = headersOf[status];
      if (name === undefined || (status === '201' && withoutLocation.includes(operation.operationId))) continue;
      if (resolveResponse(document, response).headers?.[name] === undefined)
        report('headers', `declare the header ${name} of ${status}`);
    }
  }
  for (const [name, response] of Object.entries(document.responses)) {
    for (const [header, { description, type, format }] of Object.entries(response.headers ?? {})) {
      const report = reportAt(`response ${name} ${header}`);
      if (!description?.trim()) report('headers', 'describe the header');
      if (type === 'integer' && format === undefined) report('integer-format', 'say int32 or int64');
    }
  }
}

const JSON_TYPE = 'application/json';

function mediaTypes(document: OpenApiDocument, reportAt: ReportAt): void {
  for (const { operation, method, path } of operationsOf(document)) {
    const { produces } = operation;
    if (produces === undefined) continue;
    const report = reportAt(`${method.toUpperCase()} ${path}`);
    if (!produces.includes(JSON_TYPE)) report('media-types', `errors are ${JSON_TYPE}: add it to produces`);
    if (produces[0] !== JSON_TYPE && !answersFile(document, operation))
      report('media-types', 'what is no JSON is answered as `type: file`');
  }
}

function answersFile(document: OpenApiDocument, { responses }: Operation): boolean {
  return Object.entries(responses).some(
    ([status, response]) =>
      status.startsWith('2') && dereference(document, resolveResponse(document, response).schema)?.type === 'file',
  );
}

function errorCodes(document: OpenApiDocument, reportAt: ReportAt): void {
  if (isProvider(document)) return;
  const code = document.definitions['apiError']?.properties?.['code'];
  if ((code?.enum ?? []).length === 0)
    reportAt('definition apiError.code')('error-codes', 'take its values from the table: x-enum-from: error-table');
}

function integerFormats(document: OpenApiDocument, reportAt: ReportAt): void {
  for (const { where, schema } of schemasOf(document)) {
    if (schema.type === 'integer' && schema.format === undefined)
      reportAt(where)('integer-format', 'say int32 or int64');
  }
}

/** What no operation leads to, unless it says why it is kept. */
function unused(document: OpenApiDocument, reportAt: ReportAt): void {
  const used = new Set([...requestDefinitions(document), ...answered(document)]);
  for (const [name, definition] of Object.entries(document.definitions)) {
    const report: Report = reportAt(`definition ${name}`);
    if (used.has(name) && definition['x-kept'] !== undefined) report('unused', 'it is used: remove x-kept');
    if (!used.has(name) && !definition['x-kept']?.trim()) report('unused', 'no operation leads to it; remove it');
  }
}

function answered(document: OpenApiDocument): string[] {
  const answers = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  return definitionsFrom(
    document,
    answers.flatMap((answer) => resolveResponse(document, answer).schema ?? []),
  );
}

export function lintAnswers(document: OpenApiDocument, reportAt: ReportAt): void {
  for (const rule of [headers, mediaTypes, errorCodes, integerFormats, unused]) rule(document, reportAt);
}
