import type { ScalarDef } from './symbols.js';

/** An expression that a filter tests, with what decides which tests it takes. */
export type Value =
  | {
      readonly type: 'string';
      readonly name: string;
      readonly sql: string;
      readonly nullable: boolean;
      readonly readsRows: boolean;
      readonly def?: ScalarDef;
    }
  | {
      readonly type: 'bool' | 'number' | 'date';
      readonly name: string;
      readonly sql: string;
      readonly nullable: boolean;
      readonly readsRows: boolean;
    }
  /** Member `key` of the jsonb object `sql`; typed by what is stored. */
  | { readonly type: 'any'; readonly name: string; readonly sql: string; readonly key: string };
