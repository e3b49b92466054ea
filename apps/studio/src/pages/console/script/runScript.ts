import { compileScript, SCOPE } from "./compile.ts";

/** Appears in the stacks of errors in place of an address. */
const SOURCE_NAME = "script.js";
/** The name of the function that a script becomes. */
const SCRIPT = "__consoleScript";
/** Lines that come before a script in the function that is made of it. */
const LINES_BEFORE = 3;

type AsyncFunction = (scope: object) => Promise<unknown>;
const AsyncFunctionConstructor: new (parameter: string, body: string) => AsyncFunction =
  Object.getPrototypeOf(async () => undefined).constructor;

/** Creates a function that runs scripts one after another; each finds the variables of the earlier ones. */
export function createScriptRunner(): (source: string) => Promise<unknown> {
  const scope: Record<string, unknown> = Object.create(null);
  return async (source) => {
    const { code, names } = compileScript(source);
    for (const name of names) if (!(name in scope)) scope[name] = undefined;
    // The call comes before the script, whose lines are then the only ones that count from 1.
    const body = `with (${SCOPE}) { return await ${SCRIPT}(); async function ${SCRIPT}() {\n${code}\n} }\n//# sourceURL=${SOURCE_NAME}`;
    return new AsyncFunctionConstructor(SCOPE, body)(scope);
  };
}

/** The stack of an error with the lines of the script that has thrown it, without those of the console. */
export function scriptStack(error: Error): string {
  const lines = (error.stack ?? "").split("\n").flatMap((frame) => {
    const [, name = "", row = "", column = ""] =
      /^\s*at (?:async )?(.*?)\s*\(?(?:eval.*?, )?script\.js:(\d+):(\d+)\)*$/.exec(frame) ?? [];
    const line = Number(row) - LINES_BEFORE;
    if (row === "" || line < 1) return [];
    const position = `${SOURCE_NAME}:${line}:${column}`;
    return [name === "" || name === SCRIPT ? `    at ${position}` : `    at ${name} (${position})`];
  });
  return [`${error.name}: ${error.message}`, ...lines].join("\n");
}
