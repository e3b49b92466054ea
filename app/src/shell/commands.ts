/** Something that a person can do from anywhere. */
export interface Command {
  key: string;
  label: string;
  /** Where it belongs, or the keys that do the same. */
  hint?: string;
  /** Other words that people look for. */
  words?: string;
  run: () => void;
}

/** Commands in whose label or words every given word begins somewhere; those whose label begins so come first. */
export function matching(commands: readonly Command[], words: string): Command[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [...commands];
  return commands
    .filter(({ label, words: others }) => {
      const all = `${label} ${others ?? ""}`.toLowerCase().split(/[^\p{L}\p{N}]+/u);
      return wanted.every((want) => all.some((word) => word.startsWith(want)));
    })
    .sort((a, b) => Number(beginsSo(b, wanted)) - Number(beginsSo(a, wanted)));
}

function beginsSo({ label }: Command, [first = ""]: string[]): boolean {
  return label.toLowerCase().startsWith(first);
}
