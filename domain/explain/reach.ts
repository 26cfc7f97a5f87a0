/** Routers that can be reached over links from some others. */

export interface LinkEnds {
  readonly from: string;
  readonly to: string;
}

/** @param ends  routers that no path goes through, only to and from */
export function reachedFrom(
  starts: readonly string[],
  links: readonly LinkEnds[],
  ends: ReadonlySet<string>,
): Set<string> {
  const beside = new Map<string, string[]>();
  const add = (a: string, b: string) => {
    const list = beside.get(a);
    if (list === undefined) beside.set(a, [b]);
    else list.push(b);
  };
  for (const { from, to } of links) {
    add(from, to);
    add(to, from);
  }
  const reached = new Set(starts);
  const isStart = new Set(starts);
  const open = [...starts];
  for (let router = open.pop(); router !== undefined; router = open.pop()) {
    if (ends.has(router) && !isStart.has(router)) continue;
    for (const next of beside.get(router) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return reached;
}
