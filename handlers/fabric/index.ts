/** Every operation of the fabric API that is built, by operationId. */
import type { HandlerMap } from '../handler.js';
import { checkDataIntegrity, dataIntegrityResults, fixDataIntegrity } from '../data-integrity.js';
import * as circuits from './circuits.js';
import * as cluster from './cluster.js';
import * as database from './database.js';
import * as inspections from './inspections.js';
import * as links from './links.js';
import * as routers from './routers.js';
import * as services from './services.js';
import * as terminators from './terminators.js';

export const fabricHandlers = {
  ...circuits,
  ...cluster,
  ...database,
  ...inspections,
  ...links,
  ...routers,
  ...services,
  ...terminators,
  checkDataIntegrity,
  dataIntegrityResults,
  fixDataIntegrity,
} satisfies HandlerMap<'fabric'>;
