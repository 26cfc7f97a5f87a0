/** Rules for operations: names, permission, answers, parameters. */
import { resolveResponse } from '../spec-document.js';
import type { OpenApiDocument, Operation } from '../spec-document.js';
import { dereference } from '../spec-lookup.js';
import { camelCase, isProvider, operationsOf } from './walk.js';
import type { OperationContext, Report, ReportAt } from './walk.js';

const permissions = ['public', 'partial', 'own', 'admin'];
const pagingParameters = ['limit', 'offset', 'filter', 'sort'];
/** Operations that answer an array and yet no pages: the arrays are short and fixed. */
const unpaged = [
  'clusterListMembers',
  'listSpecs',
  'listEnumeratedCapabilities',
  'listEnumeratedRouterCapabilities',
  'listNetworkJWTs',
  'getIdentityFailedServiceRequests',
];

const operationRules: ((context: OperationContext, report: Report) => void)[] = [
  function operationId({ operation }, report) {
    if (!camelCase.test(operation.operationId)) report('operation-id', 'give it an operationId in camelCase');
  },
  function summary({ operation }, report) {
    if (!operation.summary.trim()) report('summary', 'say in a few words what the operation does');
  },
  function tag({ document, operation }, report) {
    const [name, ...others] = operation.tags;
    if (name === undefined || others.length > 0)
      report('tag', 'give it exactly one tag; client generators copy the rest');
    else if (!document.tags.some((known) => known.name === name)) report('tag', `declare '${name}' in the root file`);
  },
  function permission({ operation }, report) {
    if (!permissions.includes(operation['x-permission']))
      report('permission', `set x-permission to one of ${permissions.join(', ')}`);
  },
  function security({ document, operation }, report) {
    const credentials = isProvider(document) ? [{ accessToken: [] }] : [{ ztSession: [] }, { svcSession: [] }];
    const expected = operation['x-permission'] === 'public' ? [] : credentials;
    if (JSON.stringify(operation.security) !== JSON.stringify(expected)) {
      report('security', 'public operations have `security: []`, all others list the headers of their credential');
    }
  },
  function responses({ document, operation }, report) {
    const isSuccess = isProvider(document) ? /^2|^302$/ : /^2/;
    const successes = Object.keys(operation.responses).filter((status) => isSuccess.test(status));
    if (successes.length !== 1 && !(isProvider(document) && successes.includes('302')))
      report('responses', 'declare exactly one success');
    if (operation.responses['default'] === undefined) report('responses', 'declare `default` as #/responses/error');
  },
  usualErrors,
  function errorShape({ document, operation }, report) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (/^[23]/.test(status)) continue;
      const shapes = isProvider(document) ? ['loginError', 'oauthError'] : ['apiErrorEnvelope'];
      const shape = resolveResponse(document, response).schema?.$ref?.replace('#/definitions/', '') ?? '';
      if (!shapes.includes(shape)) {
        report('error-shape', `answer ${shapes.join(' or ')} for ${status}`);
      }
    }
  },
  pathParameters,
  function requiredExamples({ parameters }, report) {
    for (const parameter of parameters) {
      const sent = parameter.in === 'query' || parameter.in === 'header';
      if (sent && parameter.required === true && parameter['x-example'] === undefined) {
        report('required-example', `give parameter '${parameter.name}' an x-example, contract tests send it`);
      }
    }
  },
  function paging({ document, operation, method, parameters }, report) {
    const present = pagingParameters.filter((name) =>
      parameters.some((one) => one.in === 'query' && one.name === name),
    );
    const answersList =
      method === 'get' && answersArray(document, operation) && !unpaged.includes(operation.operationId);
    if ((answersList || present.length > 0) && present.length < pagingParameters.length) {
      report('paging', `declare ${pagingParameters.filter((name) => !present.includes(name)).join(', ')} as well`);
    }
  },
];

function usualErrors({ operation, path, parameters }: OperationContext, report: Report): void {
  const body = parameters.some((parameter) => parameter.in === 'body');
  const expected: [string, boolean][] = [
    ['400', true],
    ['401', operation['x-permission'] !== 'public'],
    ['404', path.includes('{')],
    ['413', body],
    ['415', body],
    ['503', true],
  ];
  for (const [status, applies] of expected) {
    if (applies && operation.responses[status] === undefined) report('usual-errors', `declare the answer ${status}`);
  }
}

function pathParameters({ path, parameters }: OperationContext, report: Report): void {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '');
  const declared = parameters.filter((parameter) => parameter.in === 'path');
  for (const name of inPath) {
    const parameter = declared.find((candidate) => candidate.name === name);
    if (parameter?.required !== true) report('path-parameter', `declare '${name}' as a required path parameter`);
    else if (parameter['x-example'] === undefined) report('path-parameter', `give '${name}' an x-example`);
  }
  for (const { name } of declared) {
    if (!inPath.includes(name)) report('path-parameter', `'${name}' is not in the path; remove it`);
  }
}

function answersArray(document: OpenApiDocument, operation: Operation): boolean {
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const envelope = success && dereference(document, resolveResponse(document, success).schema);
  return dereference(document, envelope?.properties?.['data'])?.type === 'array';
}

export function lintOperations(document: OpenApiDocument, reportAt: ReportAt): void {
  const ids = new Map<string, string>();
  for (const context of operationsOf(document)) {
    const where = `${context.method.toUpperCase()} ${context.path}`;
    const report = reportAt(where);
    for (const rule of operationRules) rule(context, report);
    const earlier = ids.get(context.operation.operationId);
    if (earlier !== undefined) report('operation-id', `'${context.operation.operationId}' is taken by ${earlier}`);
    ids.set(context.operation.operationId, where);
  }
}
