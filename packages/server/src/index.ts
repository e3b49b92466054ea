export { type Config, loadConfig } from "./config.ts";
export { createLog, type Log } from "./observe/log.ts";
export { createServer, type PurseServer, type ServerOptions } from "./server.ts";
