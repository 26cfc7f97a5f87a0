/** Everything has a description, but for what specs/undescribed.txt lists; that list may only shrink. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument, Schema } from '../spec-bundle.js';
import { operationsOf } from './walk.js';

const undescribedFile = 'specs/undescribed.txt';

/** @param undescribed  what lacks a description, each with its API before it */
export function lintDescriptions(rootDir: string, undescribed: Set<string>): string[] {
  const file = join(rootDir, undescribedFile);
  const listed = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const findings: string[] = [];
  const sorted = [...new Set(listed)].sort();
  if (sorted.join('\n') !== listed.join('\n'))
    findings.push(`specs: ${undescribedFile}: described: sort it, each line once`);
  for (const line of listed) {
    if (!undescribed.has(line)) {
      findings.push(`specs: ${undescribedFile}: described: remove '${line}', it is described by now or gone`);
    }
  }
  for (const line of undescribed) {
    if (!listed.includes(line)) {
      const [api = '', ...where] = line.split(' ');
      findings.push(`${api}: ${where.join(' ')}: described: write a description`);
    }
  }
  return findings;
}

/** What lacks a description. A field that is only a `$ref` is described by its definition. */
export function thingsWithoutDescription(document: OpenApiDocument): string[] {
  const missing = new Set<string>();
  const check = (name: string, described: string | undefined): void => {
    if (!described?.trim()) missing.add(name);
  };
  const checkFields = (name: string, schema: Schema): void => {
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      if (property.$ref === undefined) check(`${name}.${key}`, property.description);
      checkFields(`${name}.${key}`, property);
    }
    for (const part of schema.allOf ?? []) checkFields(name, part);
    if (schema.items) checkFields(name, schema.items);
  };
  for (const { operation, parameters } of operationsOf(document)) {
    check(`operation ${operation.operationId}`, operation.description);
    for (const parameter of parameters) {
      check(`parameter ${operation.operationId}.${parameter.name}`, parameter.description);
      if (parameter.schema) checkFields(`parameter ${operation.operationId}.${parameter.name}`, parameter.schema);
    }
  }
  for (const [name, definition] of Object.entries(document.definitions)) {
    check(`definition ${name}`, definition.description);
    checkFields(`definition ${name}`, definition);
  }
  return [...missing];
}
