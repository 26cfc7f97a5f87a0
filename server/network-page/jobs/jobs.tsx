/** The jobs: what they are called, who may do them, and the dialog of the one that is open. */
import type { ComponentChildren } from 'preact';
import { may } from '../api/session.js';
import { AccessJob } from './access.js';
import { PersonJob } from './person.js';
import { RouterJob } from './router.js';
import { ServiceJob } from './service.js';
import { SessionsJob } from './sessions.js';
import { currentJob } from './state.js';
import type { JobName, OpenJob } from './state.js';
import { UnlockJob } from './unlock.js';

interface Job {
  readonly name: JobName;
  readonly title: string;
  readonly about: string;
  /** Whether the rights of who is signed in cover every call that it makes. */
  readonly isFor: () => boolean;
  readonly dialog: (job: OpenJob) => ComponentChildren;
}

export const JOBS: readonly Job[] = [
  {
    name: 'person',
    title: 'Add a person or device',
    about: 'Makes an identity and hands out its enrollment: as a file, as text, or as a QR code.',
    isFor: () => may('createIdentity') && may('detailIdentity'),
    dialog: () => <PersonJob />,
  },
  {
    name: 'service',
    title: 'Publish a service',
    about: 'Says its name and address, who hosts it, and who may use it.',
    isFor: () =>
      may('createService') &&
      may('createConfig') &&
      may('createServicePolicy') &&
      may('listConfigTypes') &&
      may('listIdentities'),
    dialog: () => <ServiceJob />,
  },
  {
    name: 'router',
    title: 'Add a router',
    about: 'Gives the commands to paste on its machine, and waits until it is online.',
    isFor: () => may('createEdgeRouter') && may('detailEdgeRouter'),
    dialog: () => <RouterJob />,
  },
  {
    name: 'access',
    title: 'Give or take access',
    about: 'Lets an identity use a service, or ends that. Shows first what else would change.',
    isFor: () =>
      may('patchServicePolicy') &&
      may('createServicePolicy') &&
      may('listServicePolicyServices') &&
      may('listIdentities') &&
      may('listIdentityServicePolicies') &&
      may('listNetworkAccessServices'),
    dialog: (about) => <AccessJob about={about} />,
  },
  {
    name: 'sessions',
    title: "End somebody's sessions",
    about: 'Signs an identity out everywhere: a lost laptop, a person who has left.',
    isFor: () => may('listAPISessions') && may('deleteAPISessions') && may('listIdentities'),
    dialog: (about) => <SessionsJob about={about} />,
  },
  {
    name: 'unlock',
    title: 'Unlock',
    about: 'Lets an identity in again that was disabled, or locked out by wrong passwords.',
    isFor: () => may('enableIdentity') && may('listIdentities') && may('detailIdentity'),
    dialog: (about) => <UnlockJob about={about} />,
  },
];

export function JobDialog() {
  const open = currentJob.value;
  const job = open && JOBS.find(({ name, isFor }) => name === open.name && isFor());
  return open === undefined || job === undefined ? null : <>{job.dialog(open)}</>;
}
