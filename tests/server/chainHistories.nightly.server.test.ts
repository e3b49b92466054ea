import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevChain } from "@purse/devchain";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  keccak256,
  parseAbi,
  toHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, type ExpectStatic, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { devAccount } from "../support/devAccount.ts";
import { minedReceipt } from "../support/minedReceipt.ts";
import {
  type PurseProcess,
  query,
  rest,
  restoreChainSnapshot,
  signUp,
  startPurse,
} from "../support/purse.ts";
import { Random } from "../support/random.ts";

/*
 * Servers run through random histories of a chain: transfers, reorganizations up to 64 deep, kill -9. Their state
 * afterwards (objects of a watched event, members of gated roles) equals that of a new server.
 */

/** Number of histories per database; the first has all kinds of events. `npm run prove:histories` runs 200. */
const HISTORIES = Number(process.env.PURSE_HISTORIES ?? 1);
/** `PURSE_HISTORY_SEED` repeats one of them. */
const seeds = process.env.PURSE_HISTORY_SEED
  ? [Number(process.env.PURSE_HISTORY_SEED)]
  : Array.from({ length: HISTORIES }, (_, i) => i + 1);
const EVENTS = 20;
const USER_COUNT = 3;
const MASTER = { useMasterKey: true };
const WAIT = { timeout: 60_000, interval: 100 };
const TRANSFER = erc20Abi.find((entry) => entry.type === "event" && entry.name === "Transfer");
const pieces = parseAbi([
  "function mint(address to)",
  "function balanceOf(address owner) view returns (uint256)",
]);

/** The same users on every server: their keys are derived from their number. */
const signers = Array.from({ length: USER_COUNT }, (_, i) =>
  privateKeyToAccount(keccak256(toHex(`person ${i}`))),
);

interface Server {
  purse: PurseProcess;
  env: Record<string, string>;
  users: { sessionToken: string }[];
}

type Ends = (() => Promise<unknown>)[];

/** Creates a separate chain and servers that index it. */
async function newScenario(database: (typeof DATABASES)[number], ends: Ends, expect: ExpectStatic) {
  const folder = await mkdtemp(join(tmpdir(), "purse-histories-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const dataDir = join(folder, "chain");
  restoreChainSnapshot(dataDir);
  const chain = await startDevChain({ port: 0, dataDir, autoSave: false });
  ends.push(() => {
    // It would save all its past states first, which takes seconds.
    process.kill(-chain.pid, "SIGKILL");
    return chain.stop();
  });
  const node = () => createPublicClient({ transport: http(chain.url), pollingInterval: 20, cacheTime: 0 });

  async function rpc(method: string, params: unknown[]): Promise<void> {
    const response = await fetch(chain.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { error } = await response.json();
    if (error) throw new Error(JSON.stringify(error));
  }

  async function send(from: number, to: Address, data: Hex): Promise<void> {
    const wallet = createWalletClient({ account: devAccount(from), transport: http(chain.url) });
    await minedReceipt(node(), await wallet.sendTransaction({ to, data, chain: null }));
  }

  /** Starts a server with a watched token and two gated roles with possible members. */
  async function newServer(): Promise<Server> {
    const env = { ...(await databaseEnv(database)), PURSE_CHAIN_LOCALDEVCHAIN_RPC_URL: chain.url };
    const server: Server = { purse: await startPurse({ env }), env, users: [] };
    ends.push(() => server.purse.remove());
    const { purse } = server;
    for (const signer of signers) {
      const user = await signUp(purse);
      const { body } = await rest(purse, "POST", "/functions/requestMessage", {
        address: signer.address,
        purpose: "link",
      });
      const { message }: { message: string } = Object(body.result);
      const id = signer.address.toLowerCase();
      const moralisEth = { id, signature: await signer.signMessage({ message }), data: message };
      const linked = await rest(purse, "PUT", `/users/${user.id}`, { authData: { moralisEth } }, user);
      expect(linked.status).toBe(200);
      server.users.push(user);
    }
    const { token, collection } = chain.contracts;
    const gates = {
      Rich: { chainId: 1337, token: token.address, standard: "ERC20", min: "900" },
      Collectors: { chainId: 1337, token: collection.address, standard: "ERC721" },
    };
    for (const [name, gate] of Object.entries(gates)) {
      expect((await rest(purse, "POST", "/roles", { name, ACL: {}, gate }, MASTER)).status).toBe(201);
      const ACL = { [`role:${name}`]: { read: true } };
      await rest(purse, "POST", `/classes/For${name}`, { text: "secret", ACL }, MASTER);
    }
    const watch = {
      chainId: 1337,
      address: token.address,
      abi: TRANSFER,
      tableName: "Moves",
      sync_historical: true,
      confirmations: 12,
    };
    expect(
      (await rest(purse, "POST", "/functions/watchContractEvent", watch, MASTER)).body.error,
    ).toBeUndefined();
    return server;
  }

  /** Returns by role the users who can read an object of its members. */
  async function members({ purse, users }: Server): Promise<Record<string, boolean[]>> {
    const isIn = async (role: string, person: { sessionToken: string }) => {
      const { body } = await rest(purse, "GET", `/classes/For${role}`, undefined, person);
      return JSON.stringify(body.results).includes("secret");
    };
    const of = (role: string) => Promise.all(users.map((user) => isIn(role, user)));
    return { Rich: await of("Rich"), Collectors: await of("Collectors") };
  }

  /** Returns the expected members according to the node. */
  async function holders(): Promise<Record<string, boolean[]>> {
    const { token, collection } = chain.contracts;
    const held = (address: Address) =>
      Promise.all(
        signers.map((signer) =>
          node().readContract({ address, abi: pieces, functionName: "balanceOf", args: [signer.address] }),
        ),
      );
    return {
      Rich: (await held(token.address)).map((amount) => amount >= 900n),
      Collectors: (await held(collection.address)).map((amount) => amount >= 1n),
    };
  }

  /** Returns all stored objects of the watched event without their times. */
  async function moves({ purse }: Server): Promise<JsonObject[]> {
    const requested = query({ limit: 10_000, order: "block_number,log_index" });
    const { body } = await rest(purse, "GET", `/classes/Moves${requested}`, undefined, MASTER);
    const found = Array.isArray(body.results) ? body.results.filter(isJsonObject) : [];
    return found.map(({ createdAt, updatedAt, ...object }) => object).sort(byId);
  }

  /** Returns a summary of the events on the node. */
  async function logs(): Promise<string[]> {
    const { token } = chain.contracts;
    const found = await node().getContractEvents({
      address: token.address,
      abi: erc20Abi,
      eventName: "Transfer",
      fromBlock: 0n,
      strict: true,
    });
    return found.map(({ blockHash, logIndex, args }) => `${blockHash} ${logIndex} ${args.value}`).sort();
  }

  /** Waits until a server has indexed the current head of the chain, which is returned. */
  async function indexed(server: Server): Promise<number> {
    const head = Number(await node().getBlockNumber());
    await expect
      .poll(async () => (await (await fetch(`${server.purse.url}/health`)).json()).chains[0].indexed, WAIT)
      .toBe(head);
    return head;
  }

  /** Waits until a server has stored all that the chain has. */
  async function settled(server: Server): Promise<void> {
    const head = await indexed(server);
    await expect.poll(async () => shortly(await moves(server)), WAIT).toEqual(await logs());
    const confirmed = (objects: JsonObject[]) =>
      objects.every((each) => each.confirmed === true || Number(each.block_number) > head - 12);
    await expect.poll(async () => confirmed(await moves(server)), WAIT).toBe(true);
    await expect.poll(() => members(server), WAIT).toEqual(await holders());
  }

  async function liveThrough(seed: number, server: Server): Promise<string[]> {
    const numbers = new Random(seed);
    const random = () => numbers.next();
    const upTo = (most: number) => 1 + Math.floor(random() * most);
    const someone = (): Address => signers[upTo(USER_COUNT) - 1]?.address ?? "0x";
    const { token, collection } = chain.contracts;
    // The accounts keep their tokens.
    const beginning = Number(await node().getBlockNumber());
    const delivered: string[] = [];
    for (let event = 0; event < EVENTS; event++) {
      const dice = random();
      if (dice < 0.35) {
        delivered.push("transfer");
        const args = [someone(), BigInt(upTo(700))] as const;
        await send(
          upTo(5) - 1,
          token.address,
          encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args }),
        );
      } else if (dice < 0.45) {
        delivered.push("piece");
        const args = [someone()] as const;
        await send(0, collection.address, encodeFunctionData({ abi: pieces, functionName: "mint", args }));
      } else if (dice < 0.55) {
        const blocks = upTo(20);
        delivered.push(`${blocks} blocks`);
        await rpc("anvil_mine", [toHex(blocks)]);
      } else if (dice < 0.88) {
        const most = Number(await node().getBlockNumber()) - beginning;
        const depth = Math.min(random() < 0.3 ? upTo(64) : upTo(6), most);
        delivered.push(`reorganization of ${depth}`);
        if (depth > 0) await rpc("anvil_reorg", [depth, []]);
      } else {
        delivered.push("kill");
        const { port, dataDir } = server.purse;
        await server.purse.kill();
        server.purse = await startPurse({ port, dataDir, env: server.env });
      }
      // Otherwise the next event happens while this one is being indexed.
      if (random() < 0.5) await indexed(server);
    }
    return delivered;
  }

  return { newServer, liveThrough, settled, moves, members };
}

function byId(a: JsonObject, b: JsonObject): number {
  return String(a.objectId).localeCompare(String(b.objectId));
}

const shortly = (objects: JsonObject[]) =>
  objects.map(({ block_hash, log_index, value }) => `${block_hash} ${log_index} ${value}`).sort();

async function prove(
  database: (typeof DATABASES)[number],
  seed: number,
  expect: ExpectStatic,
): Promise<void> {
  const ends: Ends = [];
  try {
    const { newServer, liveThrough, settled, moves, members } = await newScenario(database, ends, expect);
    const lived = await newServer();
    const delivered = `${database}: ${(await liveThrough(seed, lived)).join(", ")}`;
    await settled(lived);
    const anew = await newServer();
    await settled(anew);
    expect(await moves(lived), delivered).toEqual(await moves(anew));
    expect(await members(lived), delivered).toEqual(await members(anew));
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

// On both databases concurrently, because most of the time is spent on leases of killed processes.
describe.each(DATABASES)("a server with a random chain history on %s", { concurrent: true }, (database) => {
  it.for(seeds)(
    "has the same objects and role members as a new one after the history with seed %i",
    { timeout: 240_000 },
    (seed, { expect }) => prove(database, seed, expect),
  );
});
