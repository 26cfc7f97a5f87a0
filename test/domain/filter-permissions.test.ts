/**
 * What filters may ask of linked entities: for each link, each symbol of what it leads to and each permission alone.
 */
import { expect } from 'chai';
import { holds } from '../../domain/auth/rights.js';
import type { Rights } from '../../domain/auth/rights.js';
import { compileList, Params } from '../../db/filter/index.js';
import type { SymbolDef, SymbolTable } from '../../db/filter/index.js';
import { symbolTables as tables } from '../../db/stores/entities.js';
import { servicePolicy } from '../../db/stores/service-policies.js';
import { operations } from '../../generated/operations.js';
import { values } from '../cases/permissions.js';
import { fault, options } from './filter-support.js';

/** Every link of every entity: the table it is in, its name and its definition. */
const links = tables.flatMap((table) =>
  Object.entries(table.symbols).flatMap(([name, def]) => (def.kind === 'linked' ? [{ table, name, def }] : [])),
);

/** A condition that names the symbol and has its type. */
function testOf(name: string, def: SymbolDef): string {
  switch (def.kind) {
    case 'string':
      return `${name} = "a"`;
    case 'boolean':
      return `${name} = true`;
    case 'number':
      return `${name} = 1`;
    case 'date':
      return `${name} > datetime(2024-01-01T00:00:00Z)`;
    case 'tags':
      return `${name}.a = "a"`;
    case 'stringSet':
    case 'linked':
      return `isEmpty(${name})`;
  }
}

const compileAs = (reader: Rights | undefined, table: SymbolTable, filter: string) =>
  compileList(table, reader === undefined ? { filter } : { filter, reader }, new Params(), options);

describe('filters over links', () => {
  const alone: readonly Rights[] = values.map((permission) => ({ isAdmin: false, permissions: [permission] }));

  it('are of every link that there is', () => {
    // Routers are in several tables of symbols, with the same links.
    expect([...new Set(links.map(({ table, name }) => `${table.entity}.${name}`))].sort()).to.deep.equal([
      'routers.configs',
      'servicePolicies.identities',
      'servicePolicies.services',
      'services.configs',
    ]);
  });

  for (const { table, name, def } of links) {
    const linked = def.entity();

    it(`${table.entity}.${name} asks the permission that the list of its entity asks`, () => {
      const list = Object.values(operations.management).find(
        ({ method, path }) => method === 'GET' && path === `/${linked.entity}`,
      );
      expect(list?.grantedBy).to.include(def.readBy);
    });

    for (const [symbol, { ...inner }] of Object.entries(linked.symbols)) {
      it(`${table.entity}.${name} offers ${symbol} to those who may read it, for tests and for orders`, () => {
        const filters = [`not isEmpty(from ${name} where ${testOf(symbol, inner)})`];
        filters.push(`count(from ${name} where ${testOf(symbol, inner)}) > 0`);
        const isSortable = ['string', 'boolean', 'number', 'date'].includes(inner.kind);
        if (isSortable && !('equalityOnly' in inner))
          filters.push(`isEmpty(from ${name} where true sort by ${symbol})`);
        const isShown = symbol === 'id' || symbol === 'name';
        for (const reader of [undefined, ...alone, { isAdmin: true, permissions: [] }])
          for (const filter of filters) {
            const mayAsk = isShown || (reader !== undefined && holds(reader, def.readBy));
            if (mayAsk) expect(compileAs(reader, table, filter).where.sql).to.include('SELECT');
            else
              expect(fault(() => compileAs(reader, table, filter)).causeMessage, JSON.stringify(reader)).to.match(
                new RegExp(`^unknown symbol '.*': ${linked.entity} offer it to the permission ${def.readBy} alone$`),
              );
          }
      });
    }
  }

  it('ask each level of a link in a link', () => {
    const filter = 'isEmpty(from services where isEmpty(from configs where type = "a"))';
    const table = servicePolicy.symbols;
    const reader = (...held: string[]): Rights => ({ isAdmin: false, permissions: held });
    expect(compileAs(reader('service.read', 'config'), table, filter).where.sql).to.include('config_type_id');
    for (const held of [['service.read'], ['config.read'], ['service-policy'], []])
      expect(fault(() => compileAs(reader(...held), table, filter)).kind).to.equal('invalidFilter');
  });
});
