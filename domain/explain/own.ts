/**
 * The same for the identity itself: its own state, what its device lacks and its routers; no names of policies, roles,
 * checks, hosts or others.
 */
import type { Cause, Explanation, ChainItem, ChainLink } from './explanation.js';

/** Sentences for the owner: what is so, and what it may do. */
const WORDS: Readonly<Record<Cause, readonly [finding: string, remedy: string]>> = {
  IDENTITY_DISABLED: ['your identity is disabled.', 'Ask an administrator.'],
  NOT_LOGGED_IN: ['you are not logged in at the client API.', 'Log in.'],
  LOGGED_IN_AT_MANAGEMENT: ['you are logged in at the management API only.', 'Log in at the client API.'],
  SECOND_FACTOR_OWED: ['your login still owes a TOTP code.', 'Give one to authenticate/mfa.'],
  LOGIN_NOT_ALLOWED: ['your way to log in is not allowed any more.', 'Log in in another way.'],
  NO_POLICY: ['you have no right to use it in this way.', 'Ask an administrator for access.'],
  POSTURE: ['your device fails a posture check.', 'Do what the check asks for.'],
  NO_COMMON_ROUTER: ['no edge router is allowed to you and to the service.', 'Ask an administrator.'],
  ROUTERS_OFFLINE: ['none of your edge routers for it is online.', 'Wait, or ask an administrator.'],
  ROUTER_NOT_ALLOWED: ['this edge router is not for you.', 'Use another one.'],
  ROUTER_OFFLINE: ['this edge router is not online.', 'Use another one.'],
  NO_TERMINATOR: ['the service has no host at present.', 'Wait, or ask an administrator.'],
  ONLY_NAMED_TERMINATORS: ['the service is offered to dials that name an instance.', 'Dial with a name.'],
  TERMINATORS_OFFLINE: ['the service cannot be reached at present.', 'Wait, or ask an administrator.'],
  NO_PATH: ['no path leads to the service at present.', 'Wait, or ask an administrator.'],
};

const PASSES: Readonly<Record<ChainLink['step'], string>> = {
  identity: 'your identity is enabled.',
  login: 'you are logged in.',
  authPolicy: 'your login owes nothing.',
  policies: 'you have the right to use it in this way.',
  posture: 'your device passes.',
  routers: 'an edge router for it is online.',
  terminators: 'the service is offered.',
  path: 'a path leads to the service.',
  refusals: '',
};

/** Items without what is not the owner's: its routers, and of checks the advice. */
function ownItems({ step, items }: ChainLink): readonly ChainItem[] {
  if (step === 'routers') return items;
  if (step !== 'posture') return [];
  return items
    .filter(({ isPassing }) => !isPassing)
    .map(({ finding }) => ({ entity: '', id: '', name: '', isPassing: false, finding }));
}

function ownLink(link: ChainLink): ChainLink {
  const { step, state, cause } = link;
  const items = ownItems(link);
  if (cause === undefined)
    return { step, state, finding: state === 'passes' ? PASSES[step] : 'it cannot be told.', items };
  const [finding, remedy] = WORDS[cause];
  return { step, state, cause, finding, remedy, items };
}

export function ownExplanation(explanation: Explanation): Explanation {
  const { outcome, cause, service } = explanation;
  const links = explanation.links.filter(({ step }) => step !== 'refusals').map(ownLink);
  const stop = links.find(({ state }) => state === 'stops');
  const verdict =
    stop === undefined ? `You can reach ${service.name}.` : `You cannot reach ${service.name}: ${stop.finding}`;
  return { ...explanation, outcome, cause, verdict, remedy: stop?.remedy ?? '', links };
}
