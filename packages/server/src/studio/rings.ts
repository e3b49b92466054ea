/** The ids that lead back to themselves, each ring once, from its smallest id on. Walks each edge once. */
export function ringsOf(edges: readonly { parent: string; child: string }[]): string[][] {
  const children = new Map<string, string[]>();
  for (const { parent, child } of edges) children.set(parent, [...(children.get(parent) ?? []), child]);
  const rings = new Map<string, string[]>();
  const done = new Set<string>();
  for (const start of children.keys()) {
    /** From the start to where the walk is, with how many children of each have been walked. */
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }];
    const onPath = new Set([start]);
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const child = children.get(step.id)?.[step.next++];
      if (child === undefined || done.has(step.id)) {
        done.add(step.id);
        onPath.delete(step.id);
        path.pop();
      } else if (onPath.has(child)) {
        const ring = path.slice(path.findIndex(({ id }) => id === child)).map(({ id }) => id);
        const smallest = ring.indexOf([...ring].sort()[0] ?? "");
        const turned = [...ring.slice(smallest), ...ring.slice(0, smallest)];
        rings.set(turned.join(), turned);
      } else if (!done.has(child)) {
        path.push({ id: child, next: 0 });
        onPath.add(child);
      }
    }
  }
  return [...rings.values()];
}
