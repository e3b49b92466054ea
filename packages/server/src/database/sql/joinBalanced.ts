/** SQLite parses `a AND b AND c` as nested expressions, up to a depth of 1,000. */
const MAX_TERMS_PER_GROUP = 50;

/**
 * Joins expressions with an operator, in parentheses. Many expressions become a balanced tree to limit the nesting
 * depth.
 */
export function joinBalanced(texts: readonly string[], operator: " AND " | " OR "): string {
  if (texts.length <= MAX_TERMS_PER_GROUP) return `(${texts.join(operator)})`;
  const groups: string[] = [];
  for (let at = 0; at < texts.length; at += MAX_TERMS_PER_GROUP) {
    groups.push(`(${texts.slice(at, at + MAX_TERMS_PER_GROUP).join(operator)})`);
  }
  return joinBalanced(groups, operator);
}
