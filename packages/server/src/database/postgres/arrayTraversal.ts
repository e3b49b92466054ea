import type { TraversalList, TraversalSteps } from "../sql/arrayTraversal.ts";
import { jsonAt } from "./valueExpressions.ts";

/** Returns the FROM clause of `Dialect.traverse`. */
export function traverse(steps: TraversalSteps, list: TraversalList): string {
  // Paths of SQL/JSON are several times faster, but do not distinguish missing values, and `[0]` also selects values
  // that are not arrays.
  const hasIndex = steps.flat().some((segment) => /^\d+$/.test(segment));
  if (list === "nullable" || hasIndex) return traverseStepwise(steps, list);
  const keys = steps.flat().map((key) => `."${key}"`);
  return `jsonb_path_query(doc, 'lax $${keys.join("")}${list === "items" ? "[*]" : ""}') AS item(value)`;
}

function traverseStepwise(steps: TraversalSteps, list: TraversalList): string {
  const lastStep = steps.length - 1;
  const tables = steps.map((step, level) => {
    const value = jsonAt(step, level === 0 ? "doc" : `level${level}.value`);
    const found = level === lastStep ? listed(list, value) : traversable(value);
    const rows =
      level === 0 ? found : `CASE jsonb_typeof(level${level}.value) WHEN 'object' THEN ${found} END`;
    return `jsonb_array_elements(${rows}) AS ${level === lastStep ? "item" : `level${level + 1}`}(value)`;
  });
  return tables.join(", ");
}

/** An array to traverse. In place of a value without keys, it has an object without keys, in which the next key is missing. */
function traversable(value: string): string {
  return `CASE jsonb_typeof(${value}) WHEN 'array' THEN ${value} WHEN 'object' THEN jsonb_build_array(${value}) ELSE '[{}]'::jsonb END`;
}

function listed(list: TraversalList, value: string): string {
  if (list === "nullable") {
    return `CASE WHEN jsonb_typeof(${value}) = 'array' AND ${value} <> '[]'::jsonb THEN ${value} ELSE jsonb_build_array(${value}) END`;
  }
  const arrays = list === "items" ? `WHEN jsonb_typeof(${value}) = 'array' THEN ${value} ` : "";
  return `CASE ${arrays}WHEN ${value} IS NOT NULL THEN jsonb_build_array(${value}) END`;
}
