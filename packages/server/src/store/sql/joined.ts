/** SQLite reads `a AND b AND c` as one expression inside another, and takes 1,000 of them. */
const JOINED_AT_ONCE = 50;

/** Expressions joined by an operator, in parentheses: many of them as a tree, which is not deep. */
export function joined(texts: readonly string[], operator: " AND " | " OR "): string {
  if (texts.length <= JOINED_AT_ONCE) return `(${texts.join(operator)})`;
  const groups: string[] = [];
  for (let at = 0; at < texts.length; at += JOINED_AT_ONCE) {
    groups.push(`(${texts.slice(at, at + JOINED_AT_ONCE).join(operator)})`);
  }
  return joined(groups, operator);
}
