/** Whether a statement calls custom functions whose cost depends on the request: patterns, polygons, comparisons of JSON. */
export function callsExpensiveFunctions(sql: string): boolean {
  return /\bpurse_(?:regex|polygon_holds|json_equal)\(/.test(sql);
}

/** Whether a statement calls such functions or searches text. It never runs on the event loop or in the fast pool. */
export function isExpensive(sql: string): boolean {
  return callsExpensiveFunctions(sql) || sql.includes(" MATCH ?");
}
