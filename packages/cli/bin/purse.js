#!/usr/bin/env node
// The `purse` command of the installed package: starts the server, or runs one of its other commands.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { execute } from "./execute.js";
import { lowMemory } from "./lowMemory.js";
import { executeWatched } from "./watched.js";

// The server and the commands name it in their messages.
process.env.PURSE_PROGRAM ??= "purse";

/** The config file and cloud code are ES modules, whatever the package of their folder says. */
const QUIET_ABOUT_MODULES = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON";
const CONFIG_FILE = "purse.config.ts";
const dist = join(import.meta.dirname, "../dist");
const [command, ...rest] = process.argv.slice(2);

if (command === undefined || command === "start" || command.startsWith("-")) {
  startServer(
    command === "start" ? rest.filter((argument, i) => i > 0 || argument !== "--") : process.argv.slice(2),
  );
} else if (command === "dev") startDevelopment(rest);
else
  execute(
    process.execPath,
    [QUIET_ABOUT_MODULES, join(dist, "cli/cli.js"), ...process.argv.slice(2)],
    process.env,
  );

/** Runs the server with a heap that is limited as in a checkout. */
function startServer(settings) {
  execute(process.execPath, serverArguments(settings), { ...lowMemory.env, ...process.env });
}

function serverArguments(settings) {
  return [QUIET_ABOUT_MODULES, ...lowMemory.flags, join(dist, "server/purse.js"), ...settings];
}

/** Runs the server in development, and again when the config file changes. It reloads cloud code itself. */
function startDevelopment(settings) {
  const given = settings.indexOf("--config");
  const file = given < 0 ? CONFIG_FILE : (settings[given + 1] ?? "");
  const env = { ...lowMemory.env, ...process.env, NODE_ENV: "development" };
  const args = serverArguments(settings);
  if (existsSync(file)) executeWatched(process.execPath, args, env, file);
  else execute(process.execPath, args, env);
}
