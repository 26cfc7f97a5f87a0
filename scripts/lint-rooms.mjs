// Which rooms of a folder may import which: the arrows of docs/architecture.md, as an ESLint rule. A room is a folder
// within db/, handlers/, server/ or fabric/; files outside of a room are the room '.'. No arrow runs back.
import { dirname, join, relative, resolve, sep } from 'node:path';

/** Rooms that each room of a folder may import. */
export const ARROWS = {
  db: {
    embedded: [],
    postgres: [],
    filter: [],
    query: ['filter', 'postgres'],
    schema: ['postgres'],
    stores: ['filter', 'postgres', 'query', 'schema'],
    maintenance: ['embedded', 'postgres', 'schema'],
  },
  handlers: {
    '.': [],
    forms: ['.'],
    delegation: ['.'],
    access: ['.', 'forms'],
    login: ['.', 'forms'],
    enrollment: ['.', 'forms', 'login'],
    fabric: ['.', 'forms', 'access'],
    oidc: ['.', 'login', 'enrollment'],
    client: ['.', 'forms', 'delegation', 'access', 'login', 'enrollment'],
    management: ['.', 'forms', 'delegation', 'access', 'login', 'enrollment'],
  },
  server: {
    base: [],
    settings: ['base'],
    data: ['base', 'settings'],
    changes: ['base'],
    http: ['base', 'settings'],
    sockets: ['base', 'settings', 'http'],
    keys: ['base', 'settings', 'data', 'sockets'],
    maintenance: ['base', 'settings', 'data', 'keys'],
    pages: ['base', 'settings', 'http'],
    'network-page': [],
    sessions: ['base', 'settings', 'http', 'keys'],
    events: ['base', 'settings', 'changes', 'http', 'sockets'],
    traces: ['base', 'settings', 'http', 'keys'],
    routers: ['base', 'settings', 'http', 'sockets', 'keys', 'sessions', 'api'],
    api: ['base', 'settings', 'http', 'sockets', 'sessions', 'pages', 'traces'],
    metrics: ['base', 'settings', 'http', 'sockets', 'sessions', 'changes', 'api'],
    start: '*',
  },
  fabric: {
    channel: [],
    presence: ['channel'],
    sessions: ['channel'],
    model: ['channel'],
    links: ['channel'],
    usage: ['channel'],
    inspections: ['channel'],
    traffic: ['channel', 'links', 'usage'],
    messages: ['channel', 'presence', 'sessions', 'model', 'links', 'usage', 'traffic'],
    '.': '*',
  },
};

const placeOf = (root, file) => {
  const parts = relative(root, file).split(sep);
  return { folder: parts[0], room: parts.length > 2 ? parts[1] : '.' };
};

const arrow = {
  meta: { type: 'problem', schema: [{ type: 'string' }] },
  create(context) {
    const [root] = context.options;
    const here = placeOf(root, context.filename);
    const rooms = ARROWS[here.folder];
    if (rooms === undefined) return {};
    const allowed = rooms[here.room];
    const check = ({ source }) => {
      if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
      const there = placeOf(root, resolve(join(dirname(context.filename), source.value)));
      if (there.folder !== here.folder || there.room === here.room || allowed === '*') return;
      if (allowed?.includes(there.room)) return;
      const [from, to] = [here, there].map(({ folder, room }) => `${folder}/${room}`);
      const message = `${from} must not import ${to}: scripts/lint-rooms.mjs has the arrows`;
      context.report({ node: source, message });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

export const rooms = { rules: { arrow } };
