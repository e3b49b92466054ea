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

/** Japanese and Chinese are written without spaces between words. */
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Filters commands by word prefixes in their label and keywords, whatever their case and accents. Commands whose label starts
 * with the query come first.
 */
export function filterCommands(commands: readonly Command[], query: string): Command[] {
  const prefixes = fold(query).split(/\s+/).filter(Boolean);
  if (prefixes.length === 0) return [...commands];
  return commands
    .filter(({ label, keywords: others }) => {
      const all = fold(`${label} ${others ?? ""}`).split(/[^\p{L}\p{N}]+/u);
      return prefixes.every((prefix) =>
        all.some((word) => (WITHOUT_SPACES.test(prefix) ? word.includes(prefix) : word.startsWith(prefix))),
      );
    })
    .sort((a, b) => Number(labelStartsWith(b, prefixes)) - Number(labelStartsWith(a, prefixes)));
}

function labelStartsWith({ label }: Command, [first = ""]: string[]): boolean {
  return fold(label).startsWith(first);
}

function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
