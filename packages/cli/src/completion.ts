import { UsageError } from "./usageError.ts";

interface CommandWords {
  /** What may follow the command. */
  actions?: readonly string[];
  options: readonly string[];
}

const SETTINGS = ["--data-dir", "--config"];

/** The words of each command, for completion in shells. `start` and `dev` are those of the installed command. */
export const COMMAND_WORDS: Readonly<Record<string, CommandWords>> = {
  start: { options: [...SETTINGS, "--port", "--host", "--help", "--version"] },
  dev: { options: [...SETTINGS, "--port", "--host"] },
  init: { options: ["--json"] },
  doctor: { options: ["--json", ...SETTINGS] },
  schema: { actions: ["diff", "apply"], options: ["--json", ...SETTINGS] },
  migrate: { options: ["--dry-run", "--json", ...SETTINGS] },
  permissions: { actions: ["list", "close", "set"], options: ["--server", "--json", ...SETTINGS] },
  types: { options: ["--out", "--server", "--from", "--check", "--json", ...SETTINGS] },
  keys: {
    actions: ["add", "list", "revoke"],
    options: ["--name", "--limit", "--key", "--json", ...SETTINGS],
  },
  operator: {
    actions: ["add", "list", "reset", "remove"],
    options: ["--role", "--password", "--json", ...SETTINGS],
  },
  export: { options: ["--out", "--json", ...SETTINGS] },
  import: { options: ["--in", "--parse", "--files", "--skip-bad", "--json", ...SETTINGS] },
  backup: { options: ["--out", "--json", ...SETTINGS] },
  restore: { options: ["--in", "--force", "--json", ...SETTINGS] },
  columns: { options: ["--json", ...SETTINGS] },
  completion: { actions: ["bash", "zsh", "fish"], options: [] },
};

/** Returns a script that completes the `purse` command in a shell. Throws UsageError for another shell. */
export function completionScript(shell: string | undefined): string {
  if (shell === "bash") return `${bashFunction()}\ncomplete -o default -F _purse purse`;
  if (shell === "zsh") return `autoload -U +X bashcompinit && bashcompinit\n${completionScript("bash")}`;
  if (shell === "fish") return fishLines().join("\n");
  throw new UsageError("completion takes bash, zsh or fish");
}

function bashFunction(): string {
  const cases = Object.entries(COMMAND_WORDS).map(
    ([name, { actions = [], options }]) => `    ${name}) words="${[...actions, ...options].join(" ")}" ;;`,
  );
  return `_purse() {
  local words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${Object.keys(COMMAND_WORDS).join(" ")} --help --version"
  else
    case "\${COMP_WORDS[1]}" in
${cases.map((line) => `  ${line}`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}`;
}

function fishLines(): string[] {
  const commands = Object.keys(COMMAND_WORDS).join(" ");
  return [
    `complete -c purse -n __fish_use_subcommand -a "${commands}"`,
    ...Object.entries(COMMAND_WORDS).flatMap(([name, { actions = [], options }]) => {
      const isGiven = `-n "__fish_seen_subcommand_from ${name}"`;
      return [
        ...(actions.length > 0 ? [`complete -c purse ${isGiven} -a "${actions.join(" ")}"`] : []),
        ...options.map((option) => `complete -c purse ${isGiven} -l ${option.slice("--".length)}`),
      ];
    }),
  ];
}
