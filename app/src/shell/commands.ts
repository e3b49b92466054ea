/** Something that a person can do from anywhere. */
export interface Command {
  key: string;
  label: string;
  /** Where it belongs, or the keys that do the same. */
  hint?: string;
  /** Other words that people look for. */
  keywords?: string;
  run: () => void;
}

/** Commands in whose label or words every given word begins somewhere; those whose label begins so come first. */
export function filterCommands(commands: readonly Command[], query: string): Command[] {
  const prefixes = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (prefixes.length === 0) return [...commands];
  return commands
    .filter(({ label, keywords: others }) => {
      const all = `${label} ${others ?? ""}`.toLowerCase().split(/[^\p{L}\p{N}]+/u);
      return prefixes.every((prefix) => all.some((word) => word.startsWith(prefix)));
    })
    .sort((a, b) => Number(labelStartsWith(b, prefixes)) - Number(labelStartsWith(a, prefixes)));
}

function labelStartsWith({ label }: Command, [first = ""]: string[]): boolean {
  return label.toLowerCase().startsWith(first);
}
