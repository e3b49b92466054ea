export { type CommandContext, runCommand } from "./commands.ts";
export { type RunningServer, runServer, startLocalChain } from "./serverRun.ts";
