import { parseSync } from "rolldown/utils";

/** A node of the syntax tree of a TypeScript or JavaScript file. */
export interface SyntaxNode {
  type: string;
  start: number;
  [key: string]: unknown;
}

/** Calls `onNode` with each node of a file, from the outer to the inner ones. Throws for a file with errors. */
export function visitSource(file: string, source: string, onNode: (node: SyntaxNode) => void): void {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  visit(program, onNode);
}

/** Calls `onNode` with each node in a part of a tree. */
export function visit(node: unknown, onNode: (node: SyntaxNode) => void): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, onNode);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  if (isSyntaxNode(node)) onNode(node);
  for (const value of Object.values(node)) if (typeof value === "object") visit(value, onNode);
}

export function isSyntaxNode(node: unknown): node is SyntaxNode {
  return (
    typeof node === "object" &&
    node !== null &&
    "type" in node &&
    typeof node.type === "string" &&
    "start" in node &&
    typeof node.start === "number"
  );
}

/** The line of a position, from 1. */
export function lineAt(source: string, position: number): number {
  return source.slice(0, position).split("\n").length;
}
