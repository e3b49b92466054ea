import { relative, resolve } from "node:path";
import { CreateError } from "./createError.ts";
import { createProject, folderProblem, ownVersion } from "./createProject.ts";
import { HELP, parseOptions } from "./options.ts";
import type { Ports } from "./ports.ts";
import { nameProblem } from "./projectName.ts";
import type { Questions } from "./questions.ts";
import { STARTERS, type Starter } from "./starters.ts";

const DEFAULT_FOLDER = "my-purse-app";

/** What the program uses of its surroundings. */
export interface ProgramContext {
  cwd: string;
  /** Undefined without a terminal: defaults apply. */
  questions: Questions | undefined;
  manager: string;
  install(folder: string): Promise<void>;
  /** Ports that no other program uses. */
  freePorts(): Promise<Ports>;
  print(text: string): void;
}

/** Creates a project. Throws CreateError with a message for the user, or CanceledError. */
export async function runProgram(args: string[], context: ProgramContext): Promise<void> {
  const options = parseOptions(args);
  if (options === "help") return context.print(HELP);
  if (options === "version") return context.print(await ownVersion());
  const questions = options.asksNothing ? undefined : context.questions;
  const given = options.folder ?? (await questions?.folder(DEFAULT_FOLDER)) ?? DEFAULT_FOLDER;
  const folder = resolve(context.cwd, given);
  // Before the next question.
  const problem = nameProblem(folder) ?? (await folderProblem(folder));
  if (problem) throw new CreateError(problem);
  const starter = options.starter ?? (await questions?.starter()) ?? defaultStarter();
  const packages = options.packages === undefined ? undefined : resolve(context.cwd, options.packages);
  const ports = await context.freePorts();
  await createProject({ folder, starter, packages, ports });
  if (options.isInstalled) await context.install(folder);
  context.print(
    nextSteps(relative(context.cwd, folder), starter, ports, context.manager, options.isInstalled),
  );
}

function defaultStarter(): Starter {
  const [starter] = STARTERS;
  if (!starter) throw new Error("There are no starters.");
  return starter;
}

function nextSteps(
  folder: string,
  starter: Starter,
  ports: Ports,
  manager: string,
  isInstalled: boolean,
): string {
  const steps = [
    ...(folder === "" ? [] : [`cd ${folder}`]),
    ...(isInstalled ? [] : [`${manager} install`]),
    `${manager} start`,
  ];
  return `Next steps:

${steps.map((step) => `  ${step}`).join("\n")}

${starter.url === undefined ? "Purse then runs" : `The app then runs at ${starter.url}, Purse`} at http://127.0.0.1:${ports.server}, and its dashboard at http://127.0.0.1:${ports.server}/studio.`;
}
