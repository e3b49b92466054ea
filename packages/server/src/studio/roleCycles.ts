/** Returns each cycle of ids once, starting with its smallest id. Visits each edge once. */
export function findRoleCycles(edges: readonly { parent: string; child: string }[]): string[][] {
  const children = new Map<string, string[]>();
  for (const { parent, child } of edges) children.set(parent, [...(children.get(parent) ?? []), child]);
  const cycles = new Map<string, string[]>();
  const visited = new Set<string>();
  for (const start of children.keys()) {
    /** The path from the start, with the index of the next child of each node. */
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }];
    const onPath = new Set([start]);
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const child = children.get(step.id)?.[step.next++];
      if (child === undefined || visited.has(step.id)) {
        visited.add(step.id);
        onPath.delete(step.id);
        path.pop();
      } else if (onPath.has(child)) {
        const cycle = path.slice(path.findIndex(({ id }) => id === child)).map(({ id }) => id);
        const smallest = cycle.indexOf([...cycle].sort()[0] ?? "");
        const rotated = [...cycle.slice(smallest), ...cycle.slice(0, smallest)];
        cycles.set(rotated.join(), rotated);
      } else if (!visited.has(child)) {
        path.push({ id: child, next: 0 });
        onPath.add(child);
      }
    }
  }
  return [...cycles.values()];
}
