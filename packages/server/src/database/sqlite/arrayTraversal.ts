import type { TraversalList, TraversalSteps } from "../sql/arrayTraversal.ts";

/** Returns the FROM clause of `Dialect.traverse`. */
export function traverse(steps: TraversalSteps, list: TraversalList): string {
  const lastStep = steps.length - 1;
  const tables = steps.map((step, level) => {
    const source = level === 0 ? "doc" : `level${level}.value`;
    const path = `'$${step.map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `."${segment}"`)).join("")}'`;
    const type = `json_type(${source}, ${path})`;
    const value = `(${source} -> ${path})`;
    const found = level === lastStep ? listed(list, type, value) : traversable(type, value);
    // Other items than objects are texts, numbers or arrays, whose keys cannot be read.
    const rows = level === 0 ? found : `CASE level${level}.type WHEN 'object' THEN ${found} END`;
    return `json_each(${rows}) AS ${level === lastStep ? "item" : `level${level + 1}`}`;
  });
  return tables.join(", ");
}

/** An array to traverse. In place of a value without keys, it has an object without keys, in which the next key is missing. */
function traversable(type: string, value: string): string {
  return `CASE ${type} WHEN 'array' THEN ${value} WHEN 'object' THEN json_array(${value}) ELSE '[{}]' END`;
}

function listed(list: TraversalList, type: string, value: string): string {
  if (list === "nullable") {
    return `CASE WHEN ${type} = 'array' AND json_array_length(${value}) > 0 THEN ${value} ELSE json_array(${value}) END`;
  }
  const arrays = list === "items" ? `WHEN ${type} = 'array' THEN ${value} ` : "";
  return `CASE ${arrays}WHEN ${type} IS NOT NULL THEN json_array(${value}) END`;
}
