/**
 * Why an identity reaches a service, or what stops it: each link of the chain from the facts, one verdict, one thing to
 * do. What it says of a session is what `POST /sessions` decides; what comes after that is what a dial needs.
 */
import { judge } from '../policy/access.js';
import { adviceFor } from '../posture/failures.js';
import { checkWords } from './check-words.js';
import type { Explanation, ChainItem, ChainLink, Outcome, ChainStep } from './explanation.js';
import type { AccessFacts, NearPolicy } from './facts.js';
import { pathLink, routerLink, terminatorLink } from './traffic-links.js';

/** Items shown of a link. */
const SHOWN = 20;

/** @param isSeen  whether the reader may see what a link is made of */
export function explainAccess(facts: AccessFacts, isSeen: (step: ChainStep) => boolean = () => true): Explanation {
  const { identity, service, type } = facts;
  const links = [
    identityLink(facts),
    loginLink(facts),
    authPolicyLink(facts),
    policyLink(facts),
    postureLink(facts),
    routerLink(facts),
    // A host needs no other one.
    ...(type === 'Dial' ? [terminatorLink(facts), pathLink(facts)] : []),
    refusalLink(facts),
  ].map((link) => (isSeen(link.step) ? link : hidden(link.step)));
  const asked = { identity: { id: identity.id, name: identity.name }, service, type };
  const stop = links.find(({ state }) => state === 'stops');
  const verb = type === 'Dial' ? 'dial' : 'host';
  if (stop?.cause !== undefined) {
    const outcome: Outcome = isAfterSession(stop) ? 'unreachable' : 'refused';
    const verdict = `${identity.name} cannot ${verb} ${service.name}: ${stop.finding}`;
    return { ...asked, outcome, cause: stop.cause, verdict, remedy: stop.remedy ?? '', links };
  }
  const unseen = links.filter(({ state }) => state === 'hidden').map(({ step }) => step);
  if (unseen.length > 0) {
    const verdict = `Nothing that you may read stops ${identity.name} from reaching ${service.name}.`;
    const remedy = `Ask somebody who may read the rest: ${unseen.join(', ')}.`;
    return { ...asked, outcome: 'unknown', cause: null, verdict, remedy, links };
  }
  const verdict = `${identity.name} can ${verb} ${service.name}.`;
  return { ...asked, outcome: 'works', cause: null, verdict, remedy: '', links };
}

/** A session is given without them. */
const AFTER_SESSION: readonly string[] = [
  'ROUTERS_OFFLINE',
  'ROUTER_NOT_ALLOWED',
  'ROUTER_OFFLINE',
  'NO_TERMINATOR',
  'ONLY_NAMED_TERMINATORS',
  'TERMINATORS_OFFLINE',
  'NO_PATH',
];
const isAfterSession = ({ cause }: ChainLink): boolean => cause !== undefined && AFTER_SESSION.includes(cause);

const hidden = (step: ChainStep): ChainLink => ({
  step,
  state: 'hidden',
  finding: 'You may not read what this is made of.',
  items: [],
});

function identityLink({ identity }: AccessFacts): ChainLink {
  const step = 'identity';
  if (!identity.isDisabled) return { step, state: 'passes', finding: 'the identity is enabled.', items: [] };
  const until = identity.disabledUntil?.toISOString();
  return {
    step,
    state: 'stops',
    cause: 'IDENTITY_DISABLED',
    finding: `the identity is disabled${until === undefined ? '' : ` until ${until}`}.`,
    remedy: 'Enable it, once you know why it was disabled.',
    items: [],
  };
}

function loginLink({ login, isAtManagement, authenticators, enrollments }: AccessFacts): ChainLink {
  const step = 'login';
  if (login !== null) {
    const others = login.count > 1 ? `; ${login.count - 1} more logins, this one was used last` : '';
    const finding = `logged in by ${login.method} at ${login.at.toISOString()}${others}.`;
    return { step, state: 'passes', finding, items: [] };
  }
  if (isAtManagement) {
    return {
      step,
      state: 'stops',
      cause: 'LOGGED_IN_AT_MANAGEMENT',
      finding: 'it is logged in at the management API only, whose sessions routers do not know.',
      remedy: 'Let it log in at the client API.',
      items: [],
    };
  }
  const [finding, remedy] =
    authenticators > 0
      ? ['it is not logged in.', 'Start its client, and look at failed logins if it does not come.']
      : enrollments > 0
        ? ['it has not enrolled yet.', 'Let it enroll: an enrollment waits for it.']
        : [
            'it is not logged in, and has no authenticator.',
            'Make an enrollment for it, or log in by an outer provider.',
          ];
  return { step, state: 'stops', cause: 'NOT_LOGGED_IN', finding, remedy, items: [] };
}

function authPolicyLink({ login, authPolicy }: AccessFacts): ChainLink {
  const step = 'authPolicy';
  const { id, name, requiresTotp, requiredSigner } = authPolicy;
  const asks = [
    ...(requiresTotp ? ['a TOTP code'] : []),
    ...(requiredSigner === null ? [] : [`a token of ${requiredSigner} with every request`]),
  ];
  const finding = `the auth policy ${name} asks for ${asks.length === 0 ? 'nothing more' : asks.join(' and ')}`;
  const item = (isPassing: boolean): ChainItem[] => [{ entity: 'auth-policies', id, name, isPassing, finding }];
  if (login === null) {
    return { step, state: 'skipped', finding: `${finding}; it counts once there is a login.`, items: item(true) };
  }
  if (login.isFull) {
    const token = requiredSigner === null ? '' : '; whether the tokens come is seen by requests alone';
    return { step, state: 'passes', finding: `${finding}${token}.`, items: item(true) };
  }
  return login.owesCode
    ? {
        step,
        state: 'stops',
        cause: 'SECOND_FACTOR_OWED',
        finding: 'the login still owes a TOTP code.',
        remedy: 'Let its user give a code, or enroll a second factor first.',
        items: item(false),
      }
    : {
        step,
        state: 'stops',
        cause: 'LOGIN_NOT_ALLOWED',
        finding: `the auth policy ${name} does not allow logins by ${login.method} any more.`,
        remedy: 'Allow this way in the auth policy, or let it log in by one that is allowed.',
        items: item(false),
      };
}

function nearFinding({ lacks, missing, semantic }: NearPolicy): string {
  const of = lacks === 'identity' ? 'the identity' : 'the service';
  if (missing.length === 0) return `does not select ${of}: it names others by id.`;
  const roles = missing.join(semantic === 'AllOf' ? ' and ' : ' or ');
  return `does not select ${of}, which lacks ${roles}.`;
}

function policyLink({ granting, near, type }: AccessFacts): ChainLink {
  const step = 'policies';
  const items = [
    ...granting.slice(0, SHOWN).map(({ id, name }) => policyItem(id, name, true, 'selects the two.')),
    ...near.map((policy) => policyItem(policy.id, policy.name, false, nearFinding(policy))),
  ];
  const count = granting.length;
  if (count > 0) {
    const finding = `${count} ${count === 1 ? 'policy' : 'policies'} of type ${type} for the two.`;
    return { step, state: 'passes', finding, items };
  }
  const [nearest] = near;
  return {
    step,
    state: 'stops',
    cause: 'NO_POLICY',
    finding: `no service policy of type ${type} selects the two.`,
    remedy:
      nearest === undefined
        ? `Make a service policy of type ${type} that selects the two.`
        : nearest.missing.length === 0
          ? `Add the ${nearest.lacks} to the policy ${nearest.name}, or make another one.`
          : attributeRemedy(nearest),
    items,
  };
}

const attributeRemedy = (near: NearPolicy): string =>
  `Give the ${near.lacks} the attribute ${attributesOf(near)}: the policy ${near.name} then selects it.`;

const attributesOf = ({ missing, semantic }: NearPolicy): string => {
  const names = missing.map((role) => role.slice(1));
  return semantic === 'AllOf' ? names.join(' and ') : (names[0] ?? '');
};

const policyItem = (id: string, name: string, isPassing: boolean, finding: string): ChainItem => ({
  entity: 'service-policies',
  id,
  name,
  isPassing,
  finding,
});

function postureLink({ granting, posture, now, login }: AccessFacts): ChainLink {
  const step = 'posture';
  if (granting.length === 0) return skipped(step, 'no policy is there that could ask for a check.');
  if (granting.some(({ checks }) => checks.length === 0))
    return { step, state: 'passes', finding: 'a policy grants it whatever the device is.', items: [] };
  if (login === null) return skipped(step, 'nothing is known of a device without a login.');
  if (login.isJudgedElsewhere) {
    const asked = new Set(granting.flatMap(({ checks }) => checks.map(({ name }) => name)));
    const names = [...asked].slice(0, SHOWN).join(', ');
    return skipped(step, `its client reports on the device to routers alone, which judge it by ${names}.`);
  }
  const verdicts = granting.map(({ checks }) => judge(checks, posture, now));
  const checks = [...new Map(verdicts.flatMap(({ checks: all }) => all).map((each) => [each.check.id, each])).values()];
  const items = checks.slice(0, SHOWN).map(({ check, isPassing }) => ({
    entity: 'posture-checks',
    id: check.id,
    name: check.name,
    isPassing,
    finding: isPassing ? `${check.typeId} passes.` : `${check.typeId}: ${adviceFor(check, posture, now)}.`,
    ...checkWords(check, posture, now),
  }));
  if (verdicts.some(({ isPassing }) => isPassing))
    return { step, state: 'passes', finding: 'the device passes all checks of one policy.', items };
  const failing = checks.find(({ isPassing }) => !isPassing)?.check;
  return {
    step,
    state: 'stops',
    cause: 'POSTURE',
    finding: `the device fails the posture check ${failing?.name ?? ''}.`,
    remedy: failing === undefined ? '' : `On the device: ${adviceFor(failing, posture, now)}.`,
    items,
  };
}

const skipped = (step: ChainStep, finding: string): ChainLink => ({ step, state: 'skipped', finding, items: [] });

function refusalLink({ refusal }: AccessFacts): ChainLink {
  const step = 'refusals';
  if (refusal === null)
    return { step, state: 'passes', finding: 'none of its latest requests was refused for posture.', items: [] };
  const { at, checks } = refusal;
  return {
    step,
    state: 'passes',
    finding: `its last refusal for posture was at ${at.toISOString()}.`,
    items: checks.slice(0, SHOWN).map(({ id, name }) => ({
      entity: 'posture-checks',
      id,
      name,
      isPassing: false,
      finding: 'failed then.',
    })),
  };
}
