/** Attacks by what is stored, by passwords and by bodies. */
import { forEachParallel } from '../api-client.js';
import { SERIAL } from '../load.js';
import { CLIENT, MANAGEMENT } from '../world.js';
import type { RequestParts } from '../world.js';
import { flood, get } from './attack.js';
import type { Attack } from './attack.js';
import { encoded, servicesWith } from './world.js';

const API_SESSIONS = 60;
const SESSIONS_EACH = 10;
/** What callers other than administrators may store as tags, in bytes of JSON. */
const TAG_BYTES = 4_096;
const LIST_READERS = 8;

export const largeTags: Attack = {
  name: 'sessions with large tags',
  sends: () =>
    `${API_SESSIONS} API sessions with ${SESSIONS_EACH} sessions of ${TAG_BYTES} bytes of tags each; ` +
    `${LIST_READERS} lists of 500 at once by an administrator`,
  async prepare({
    world: {
      attacker: { client, username, password },
      services,
    },
  }) {
    const tags = { t: 'x'.repeat(TAG_BYTES - '{"t":""}'.length) };
    for (let index = 0; index < API_SESSIONS; index += 1) {
      const owner = await client.login(username, password);
      await forEachParallel(services.slice(0, SESSIONS_EACH), ({ id }) =>
        owner.create(`${CLIENT}/sessions`, { serviceId: id, type: 'Dial', tags }),
      );
      owner.close();
    }
  },
  run: (context) =>
    flood(context, {
      connections: LIST_READERS,
      requests: [get(`${MANAGEMENT}/sessions?limit=500`, context.world.admin.token)],
    }),
};

const LOGINS = 500;
const LOGIN_REST_MS = 1_000;

export const wrongPasswords: Attack = {
  name: 'wrong passwords',
  sends: () => `${LOGINS} logins at once, each again a second after its answer`,
  run: (context) =>
    flood(context, {
      connections: LOGINS,
      restMs: LOGIN_REST_MS,
      requests: [
        {
          method: 'POST',
          path: `${CLIENT}/authenticate?method=password`,
          body: { username: context.world.victim.username, password: 'wrong-password' },
        },
      ],
    }),
};

const BODY_CONNECTIONS = 20;
const BODY_BYTES = 1_048_000;
const TERMS = 10_000;
const SUBSCHEMAS = 400;
const LEVELS = 20_000;

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const schema = () => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    Array.from({ length: SUBSCHEMAS }, (_, index) => [
      `member-${index}`,
      { type: 'string', pattern: `^[a-z]{1,9}${index}$` },
    ]),
  ),
});

export const largeBodies: Attack = {
  name: 'large bodies and schemas',
  sends: () =>
    `bodies of 1 MiB, JSON ${LEVELS.toLocaleString('en')} deep, filters of ${TERMS.toLocaleString('en')} terms, ` +
    `config types of ${SUBSCHEMAS} subschemas; ${BODY_CONNECTIONS} at once`,
  run: (context) => {
    const {
      attacker: {
        client: { token },
      },
      admin,
    } = context.world;
    const post = (path: string, body: unknown, by = token): RequestParts => ({ method: 'POST', path, body, token: by });
    const terms = Array.from({ length: TERMS }, (_, index) => `a=${index % 10}`).join(' or ');
    return flood(context, {
      connections: BODY_CONNECTIONS,
      requests: [
        post(`${CLIENT}/authenticate?method=password`, { username: 'x'.repeat(BODY_BYTES), password: 'y' }),
        post(`${CLIENT}/sessions`, {
          serviceId: 'x',
          tags: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`t${index}`, 'xyz'])),
        }),
        { method: 'POST', path: `${CLIENT}/sessions`, text: deep(LEVELS), token },
        get(servicesWith(`filter=${encoded(terms)}`), token),
        get(servicesWith(`filter=${encoded(terms.slice(0, 16_000))}`), token),
        post(`${MANAGEMENT}/config-types`, { name: `abuse-${SERIAL}`, schema: schema() }, admin.token),
      ],
    });
  },
};
