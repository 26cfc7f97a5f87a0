// ajv writes every schema into its output, although the code needs only the few whose values appear in faults.

import ts from 'typescript';

/** Removes the top-level `const schema… = …;` that nothing else mentions. */
export function dropUnused(code: string): string {
  const source = ts.createSourceFile('validators.cjs', code, ts.ScriptTarget.ES2022, false, ts.ScriptKind.JS);
  const mentions = new Map<string, number>();
  const count = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) mentions.set(node.text, (mentions.get(node.text) ?? 0) + 1);
    ts.forEachChild(node, count);
  };
  count(source);
  return (
    source.statements
      .filter((statement) => !(isSchemaConstant(statement) && mentions.get(constantName(statement)) === 1))
      .map((statement) => code.slice(statement.getStart(source), statement.end))
      .join('\n') + '\n'
  );
}

function isSchemaConstant(statement: ts.Statement): statement is ts.VariableStatement {
  return ts.isVariableStatement(statement) && /^schema\d+$/.test(constantName(statement));
}

function constantName(statement: ts.VariableStatement): string {
  const [declaration] = statement.declarationList.declarations;
  return declaration && ts.isIdentifier(declaration.name) ? declaration.name.text : '';
}
