import { createChainService } from "@purse/chain";

/** Indexes the chain given by the environment and prints its status as JSON lines. For tests that kill it. */
const { chain, location } = JSON.parse(process.env.CHAIN ?? "{}");
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const service = createChainService({
  chains: [{ name: "local", aliases: [], ...chain }],
  database: location,
  log: silent,
  pollMs: 25,
});
service.onStatus((status) => process.stdout.write(`${JSON.stringify(status)}\n`));
await service.start();
