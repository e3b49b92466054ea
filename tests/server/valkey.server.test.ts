import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasProgram, VALKEY } from "../../scripts/programs.mjs";
import { databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";
import { startValkey, type ValkeyServer } from "../support/valkeyServer.ts";

// valkey.nightly.server.test.ts has three nodes and more faults.
describe.skipIf(!hasProgram(VALKEY))("a server with Valkey and PostgreSQL", () => {
  let valkey: ValkeyServer;
  let purse: Purse;
  beforeAll(async () => {
    valkey = await startValkey();
    purse = await hostPurse({ env: { ...(await databaseEnv("PostgreSQL")), PURSE_VALKEY_URL: valkey.url } });
  });
  afterAll(async () => {
    await purse?.remove();
    await valkey?.kill();
  });

  it("uses PostgreSQL while Valkey is down, reports it, and uses Valkey again", async () => {
    const degraded = async () => {
      const { degraded }: { degraded?: string[] } = await (await fetch(`${purse.url}/ready`)).json();
      return degraded;
    };
    await expect.poll(degraded).toBeUndefined();
    await valkey.kill();
    await expect.poll(degraded).toEqual([expect.stringMatching(/^Valkey cannot be reached/)]);
    expect((await rest(purse, "POST", "/classes/Note", { n: 1 })).status).toBe(201);
    await valkey.restart();
    await expect.poll(degraded).toBeUndefined();
  });
});
