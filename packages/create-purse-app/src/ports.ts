import { createServer } from "node:net";

/** The ports of a project's Purse and of its local chain. */
export interface Ports {
  server: number;
  chain: number;
}

export const DEFAULT_PORTS: Ports = { server: 1337, chain: 8545 };
const MAX_ATTEMPTS = 100;

/**
 * The default ports, or the next ones that no program uses: an app is often created beside a running Purse. Both are the
 * same number of steps away from the defaults.
 */
export async function freePorts(defaults: Ports = DEFAULT_PORTS): Promise<Ports> {
  for (let step = 0; step < MAX_ATTEMPTS; step += 1) {
    const ports = { server: defaults.server + step, chain: defaults.chain + step };
    if ((await isFree(ports.server)) && (await isFree(ports.chain))) return ports;
  }
  return defaults;
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
