import { type ModuleDeclaration, type Pattern, parse, type Statement } from "acorn";

/** A script that can be evaluated as the body of an async function, with the same lines. */
export interface CompiledScript {
  code: string;
  /** The variables, functions and classes that it declares at its top level. */
  names: string[];
}

type Edit = [start: number, end: number, text: string];

/**
 * Prepares a script: `await` and `return` are allowed at its top level, its last expression is its result, and what it
 * declares at its top level becomes assignments, so that the next script can use it. Throws SyntaxError.
 */
export function compileScript(source: string): CompiledScript {
  const { body } = parse(source, {
    ecmaVersion: "latest",
    sourceType: "script",
    allowAwaitOutsideFunction: true,
    allowReturnOutsideFunction: true,
  });
  const names = new Set<string>();
  const hoisted: string[] = [];
  const edits: Edit[] = body.flatMap((statement, i) => {
    const declared = declaredNames(statement);
    for (const name of declared) names.add(name);
    if (statement.type === "FunctionDeclaration") hoisted.push(...declared);
    return editsOf(statement, i === body.length - 1);
  });
  // Functions can be called above their declaration, so they are stored first.
  const prefix = hoisted.map((name) => `${SCOPE}.${name}=${name};`).join("");
  return { code: prefix + applyEdits(source, edits), names: [...names] };
}

/** The name by which a script refers to the object with the variables of all scripts. */
export const SCOPE = "__consoleScope";

type TopLevel = Statement | ModuleDeclaration;

function declaredNames(statement: TopLevel): string[] {
  if (statement.type === "VariableDeclaration")
    return statement.declarations.flatMap(({ id }) => namesIn(id));
  if (statement.type === "FunctionDeclaration" || statement.type === "ClassDeclaration")
    return [statement.id.name];
  return [];
}

function namesIn(pattern: Pattern): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        namesIn(property.type === "RestElement" ? property.argument : property.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element ? namesIn(element) : []));
    case "RestElement":
      return namesIn(pattern.argument);
    case "AssignmentPattern":
      return namesIn(pattern.left);
    default:
      return [];
  }
}

function editsOf(statement: TopLevel, isLast: boolean): Edit[] {
  const { type, start, end } = statement;
  if (type === "VariableDeclaration") {
    const { declarations, kind } = statement;
    if (!["const", "let", "var"].includes(kind)) return [];
    // Declarations become one expression: `const a = 1, { b } = c` is `(a = 1, { b } = c);`.
    const last = declarations.at(-1)?.end ?? end;
    return [
      [start, start + kind.length, ";("],
      ...declarations.flatMap(({ id, init }): Edit[] =>
        init ? [] : [[id.end, id.end, kind === "var" ? `=${sourceName(id)}` : "=undefined"]],
      ),
      [last, last, ");"],
    ];
  }
  if (type === "ClassDeclaration")
    return [
      [start, start, `;${statement.id.name}=`],
      [end, end, ";"],
    ];
  if (type === "ExpressionStatement" && isLast) {
    return [
      [start, start, "return ("],
      [statement.expression.end, statement.expression.end, ")"],
    ];
  }
  return [];
}

function sourceName(id: Pattern): string {
  return id.type === "Identifier" ? id.name : "undefined";
}

function applyEdits(source: string, edits: readonly Edit[]): string {
  let position = 0;
  let result = "";
  for (const [start, end, text] of edits) {
    result += source.slice(position, start) + text;
    position = end;
  }
  return result + source.slice(position);
}
