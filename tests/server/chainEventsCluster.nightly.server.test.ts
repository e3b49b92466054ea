import { createServer, type Server } from "node:http";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { erc20Abi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainClient, createChainClient } from "../support/chainClient.ts";
import { databaseEnv } from "../support/databases.ts";
import { type PurseProcess, query, rest, startPurse } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const abi = erc20Abi.find((entry) => entry.type === "event" && entry.name === "Transfer");

describe("chain events watched by several processes on one PostgreSQL", () => {
  let node: PurseProcess;
  let processes: PurseProcess[];
  let hand: ChainClient;
  let server: Server;
  const delivered: string[] = [];

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(Buffer.from(chunk));
      const { object }: { object: JsonObject } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      delivered.push(String(object.value));
      response.end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    node = await startPurse({ devChain: true });
    hand = await createChainClient(node);
    const env = {
      ...(await databaseEnv("PostgreSQL")),
      PURSE_CHAIN_LOCALDEVCHAIN_RPC_URL: node.rpcUrl,
      PURSE_ALLOW_PRIVATE_HOOKS: "1",
    };
    processes = await Promise.all([startPurse({ env }), startPurse({ env })]);
  });
  afterAll(async () => {
    server?.closeAllConnections();
    server?.close();
    await Promise.all([node, ...(processes ?? [])].map((purse) => purse?.remove()));
  });

  it("are stored and sent once each, also when the active process stops", async () => {
    const [first, second] = processes;
    const address = server.address();
    if (!first || !second || !address || typeof address === "string") throw new Error("nothing runs");
    const options = {
      chainId: 1337,
      address: hand.token,
      abi,
      tableName: "Shared",
      filter: { eq: ["to", hand.account(7)] },
      webhook: `http://127.0.0.1:${address.port}/`,
      confirmations: 1,
      sync_historical: true,
    };
    await Promise.all(
      processes.map((purse) => rest(purse, "POST", "/functions/watchContractEvent", options, MASTER)),
    );
    const values = async (purse: PurseProcess) => {
      const { body } = await rest(
        purse,
        "GET",
        `/classes/Shared${query({ order: "block_number", limit: 1000 })}`,
      );
      return (Array.isArray(body.results) ? body.results : []).map(
        (each) => isJsonObject(each) && each.value,
      );
    };
    await hand.transferTokens([101n, 102n, 103n].map((units) => [0, hand.account(7), units]));
    const last = async (purse: PurseProcess) => (await values(purse)).slice(-3);
    for (const purse of processes)
      await expect.poll(() => last(purse), { timeout: 20_000 }).toEqual(["101", "102", "103"]);

    await first.kill();
    await hand.transferTokens([104n, 105n].map((units) => [0, hand.account(7), units]));
    await expect.poll(() => last(second), { timeout: 40_000 }).toEqual(["103", "104", "105"]);
    const all = await values(second);
    expect(new Set(all).size).toBe(all.length);
    // A message may be sent twice.
    await expect.poll(() => [...new Set(delivered)], { timeout: 30_000 }).toEqual(all);
  }, 120_000);
});
