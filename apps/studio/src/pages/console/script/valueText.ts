import type { ValueTree } from "./messages.ts";

/** The tree as text, for the clipboard. */
export function treeText({ kind, text, entries = [], omitted = 0 }: ValueTree, indent = ""): string {
  const own = kind === "string" && indent !== "" ? JSON.stringify(text) : text;
  const inner = `${indent}  `;
  const lines = entries.map(({ key, value }) => `${inner}${key}: ${treeText(value, inner)}`);
  if (omitted > 0) lines.push(`${inner}… ${omitted}`);
  return [own, ...lines].join("\n");
}
