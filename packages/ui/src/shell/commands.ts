/** A command that is available everywhere. */
export interface Command {
  key: string;
  label: string;
  /** The section it belongs to, or its shortcut. */
  hint?: string;
  /** Additional search terms. */
  keywords?: string;
  run: () => void;
}

/** Filters commands by word prefixes in their label and keywords. Commands whose label starts with the query come first. */
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
