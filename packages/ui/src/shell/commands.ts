import type { LucideIcon } from "lucide-react";

/** A command that is available everywhere. */
export interface Command {
  key: string;
  label: string;
  /** What it is, or its shortcut. */
  hint?: string;
  /** The heading that it is listed under. */
  group?: string;
  icon?: LucideIcon;
  /** Additional search terms. */
  keywords?: string;
  run: () => void;
}

export interface CommandGroup {
  /** The heading; commands without one are listed without. */
  label: string | undefined;
  commands: Command[];
}

/** Groups commands by their headings; the group of the first command comes first. */
export function groupCommands(commands: readonly Command[]): CommandGroup[] {
  const groups = new Map<string | undefined, Command[]>();
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups].map(([label, commands]) => ({ label, commands }));
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
