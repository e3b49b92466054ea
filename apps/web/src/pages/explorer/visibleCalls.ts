/** Whether the call at an index called others: they follow it with a greater depth. */
export function hasInnerCalls(calls: readonly { depth: number }[], index: number): boolean {
  return (calls[index + 1]?.depth ?? 0) > (calls[index]?.depth ?? 0);
}

/** The indexes of calls that are not inside of a collapsed one. Calls are in execution order. */
export function visibleCalls(calls: readonly { depth: number }[], collapsed: ReadonlySet<number>): number[] {
  const visible: number[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  calls.forEach(({ depth }, index) => {
    if (depth > hiddenBelow) return;
    visible.push(index);
    hiddenBelow = collapsed.has(index) ? depth : Number.POSITIVE_INFINITY;
  });
  return visible;
}
