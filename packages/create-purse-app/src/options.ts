import { parseArgs } from "node:util";
import { UsageError } from "./createError.ts";
import { STARTERS, type Starter } from "./starters.ts";

export const HELP = `Usage: create-purse-app [FOLDER] [OPTIONS]

  --template NAME    ${STARTERS.map(({ id }) => id).join(", ")}
  --no-install       writes the files only
  --yes              asks nothing: my-purse-app, react
  --packages FOLDER  uses packed packages of Purse from a folder
  --help, --version`;

/** What to create; the program asks for undefined values. */
export interface CreateOptions {
  folder: string | undefined;
  starter: Starter | undefined;
  /** Whether to install the dependencies. */
  isInstalled: boolean;
  asksNothing: boolean;
  packages: string | undefined;
}

/** Parses command-line arguments. Throws UsageError for a starter that does not exist, and parseArgs' TypeError. */
export function parseOptions(args: string[]): CreateOptions | "help" | "version" {
  const { values, positionals } = parseArgs({
    args,
    options: {
      template: { type: "string", short: "t" },
      install: { type: "boolean", default: true },
      yes: { type: "boolean", short: "y" },
      packages: { type: "string" },
      help: { type: "boolean", short: "h" },
      version: { type: "boolean", short: "v" },
    },
    allowPositionals: true,
    allowNegative: true,
  });
  if (values.help) return "help";
  if (values.version) return "version";
  if (positionals.length > 1) throw new UsageError(`one folder, not ${positionals.join(", ")}\n\n${HELP}`);
  return {
    folder: positionals[0],
    starter: values.template === undefined ? undefined : starterOf(values.template),
    isInstalled: values.install,
    asksNothing: values.yes ?? false,
    packages: values.packages,
  };
}

function starterOf(id: string): Starter {
  const starter = STARTERS.find((each) => each.id === id);
  if (starter) return starter;
  throw new UsageError(`"${id}" is no template: ${STARTERS.map((each) => each.id).join(", ")}`);
}
