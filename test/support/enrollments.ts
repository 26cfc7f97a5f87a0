/** Enrollments as the suites about them make, read and use them. */
import type { TestController } from './controller.js';
import { unique } from './controller.js';
import { itemsOf, make, read } from './entities.js';
import type { Entity } from './entities.js';
import { CLIENT, MANAGEMENT } from './paths.js';

export const PATH = `${MANAGEMENT}/enrollments`;
export const PASSWORD = 'pass word 1';

/** An ISO time so many seconds from now. */
export const soon = (seconds = 3600) => new Date(Date.now() + seconds * 1000).toISOString();

/** @param controller  asked for at each call, since a suite has none before its first hook */
export function enrollmentCalls(controller: () => TestController) {
  const identity = async (extra: object = {}) =>
    make(controller(), 'identities', { name: unique('identity'), type: 'User', isAdmin: false, ...extra });
  const create = async (body: object) =>
    make(controller(), 'enrollments', { method: 'ott', expiresAt: soon(), ...body });
  const detail = async (id: string) => read(controller(), `enrollments/${id}`);
  const post = async (body: object) => controller().admin.post(PATH, { method: 'ott', expiresAt: soon(), ...body });
  const refresh = async (id: string, expiresAt = soon()) =>
    controller().admin.post(`${PATH}/${id}/refresh`, { expiresAt });
  const enroll = async (token: string, body: object = { password: PASSWORD }) =>
    controller().anonymous.post(`${CLIENT}/enroll?method=updb&token=${token}`, body);
  const login = async (username: string, password = PASSWORD) =>
    controller().anonymous.post(`${CLIENT}/authenticate?method=password`, { username, password });
  const updb = async () => {
    const username = unique('user');
    const identityId = await identity({ enrollment: { updb: username } });
    const record = itemsOf(
      await controller().admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`),
    )[0] as Entity;
    return { username, identityId, id: record.id, token: record['token'] as string };
  };
  const expire = async (id: string) =>
    controller().database.query("UPDATE enrollments SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
  return { identity, create, detail, post, refresh, enroll, login, updb, expire };
}
