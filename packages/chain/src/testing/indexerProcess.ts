import { createChainService } from "../service.ts";

/** Follows the chain that the environment names, and tells its status in lines of JSON. For tests that kill it. */
const { id, url, place } = JSON.parse(process.env.CHAIN ?? "{}");
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const service = createChainService({
  chains: [{ id, name: "local", aliases: [], rpcUrls: [url] }],
  database: place,
  log: silent,
  pollMs: 10,
});
service.onStatus((status) => process.stdout.write(`${JSON.stringify(status)}\n`));
await service.start();
