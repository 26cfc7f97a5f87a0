/** Compares plans with those of another run, node by node. */

/**
 * The nodes of a plan as `summaryOf` writes it, each with its depth, its kind and the table or index that it reads.
 * Rows, pages, conditions and aliases are left out: they change with the text of a statement or from run to run.
 */
export function nodesOf(text: string): string[] {
  const plan = text.trimEnd().split('\n\n').at(-1) ?? '';
  return plan.split('\n').flatMap((line) => {
    const [, depth = '', node = ''] = /^( *(?:-> +)?)(.*?) +\((?:actual |never executed)/.exec(line) ?? [];
    return node === '' ? [] : [depth + node.replace(/( on "?[\w.]+"?) \S+$/, '$1')];
  });
}

/**
 * How plans differ in their nodes, by the name of their file.
 * @param before  texts of the other run
 * @returns a line for each file that one run alone has, and both lists of nodes where they differ
 */
export function differencesOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const gone = [...before.keys()].filter((file) => !after.has(file)).map((file) => `${file}: is gone`);
  const changed = [...after].flatMap(([file, text]) => {
    const old = before.get(file);
    if (old === undefined) return [`${file}: is new`];
    const [was, is] = [nodesOf(old), nodesOf(text)];
    if (was.join('\n') === is.join('\n')) return [];
    return [[`${file}: other nodes`, ...was.map((node) => `- ${node}`), ...is.map((node) => `+ ${node}`)].join('\n')];
  });
  return [...gone, ...changed];
}
