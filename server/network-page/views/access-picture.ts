/** Makes nodes and edges to draw of the server's answer: names and addresses, no decisions. */
import { linkTo } from '../api/route.js';
import { countText } from '../parts/words.js';
import type { GraphEdge, GraphNode } from './access-graph.js';
import { STATES, countsText, groupName } from './states.js';
import type { AccessGroup, AccessPicture, ShownPolicy, AccessStateName } from './states.js';

interface Drawn {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** Keys of nodes: groups of both sides may have the same key. */
export const nodeKey = (column: 'i' | 'p' | 's', key: string): string => `${column}:${key}`;

function groupNote({ kind, entities }: AccessGroup, one: string, many: string): string {
  if (kind === 'entity') return one;
  return entities === undefined ? many : countText(entities, one, many);
}

function policyNote({ identities, services, postureChecks }: ShownPolicy): string {
  const parts = [
    identities === undefined || services === undefined ? 'policy' : `${identities} → ${services}`,
    (postureChecks ?? 0) > 0 ? countText(postureChecks ?? 0, 'posture check') : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

const edgeNote = (from: string, to: string, state: AccessStateName, counts: string): string =>
  `${from} → ${to}: ${STATES[state].word}${counts === '' ? '' : ` (${counts})`}`;

/** @param isDirect  leaves the policies out and draws what all of them together give */
export function drawingOf(picture: AccessPicture, isDirect: boolean, query: URLSearchParams): Drawn {
  const toNode = (sel: string) => linkTo(['access'], { ...Object.fromEntries(query), sel });
  const group =
    (column: 'i' | 's', one: string, many: string) =>
    (found: AccessGroup): GraphNode => ({
      key: nodeKey(column, found.key),
      column: column === 'i' ? 0 : 2,
      title: groupName(found, `all ${many}`),
      note: groupNote(found, one, many),
      href: toNode(nodeKey(column, found.key)),
      state: undefined,
    });
  const identities = picture.identities.map(group('i', 'identity', 'identities'));
  const services = picture.services.map(group('s', 'service', 'services'));
  const policies = picture.policies.map((policy): GraphNode => ({
    ...{ key: nodeKey('p', policy.id), column: 1, title: policy.name, note: policyNote(policy) },
    ...{ href: toNode(nodeKey('p', policy.id)), state: policy.state },
  }));
  const titles = new Map([...identities, ...policies, ...services].map(({ key, title }) => [key, title]));
  const edge = (from: string, to: string, state: AccessStateName, counts: string): GraphEdge => ({
    ...{ from, to, state, note: edgeNote(titles.get(from) ?? from, titles.get(to) ?? to, state, counts) },
  });
  if (isDirect)
    return {
      nodes: [...identities, ...services],
      edges: picture.reaches.map(({ identities: from, services: to, state, counts }) =>
        edge(nodeKey('i', from), nodeKey('s', to), state, countsText(counts)),
      ),
    };
  return {
    nodes: [...identities, ...policies, ...services],
    edges: [
      ...picture.identityEdges.map(({ group: from, policyId, state, counts }) =>
        edge(nodeKey('i', from), nodeKey('p', policyId), state, countsText(counts)),
      ),
      ...picture.serviceEdges.map(({ group: to, policyId, state, counts }) =>
        edge(nodeKey('p', policyId), nodeKey('s', to), state, countsText(counts)),
      ),
    ],
  };
}
