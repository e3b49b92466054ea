#!/usr/bin/env node
// The `purse` command of the installed package: starts the server, or runs one of its other commands.
import { join } from "node:path";
import { economical } from "./economical.js";
import { execute } from "./execute.js";

// The server and the commands name it in their messages.
process.env.PURSE_PROGRAM ??= "purse";

const dist = join(import.meta.dirname, "../dist");
const [command, ...rest] = process.argv.slice(2);

if (command === undefined || command === "start" || command.startsWith("-")) {
  startServer(
    command === "start" ? rest.filter((argument, i) => i > 0 || argument !== "--") : process.argv.slice(2),
  );
} else await import("../dist/cli/cli.js");

/** Runs the server with a heap that is limited as in a checkout. */
function startServer(settings) {
  const args = [...economical.flags, join(dist, "server/purse.js"), ...settings];
  execute(process.execPath, args, { ...economical.env, ...process.env });
}
