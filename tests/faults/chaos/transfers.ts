import { isJsonObject } from "@purse/protocol";
import { type Address, createPublicClient, createWalletClient, erc20Abi, http, parseAbiItem } from "viem";
import { expect } from "vitest";
import { devAccount } from "../../support/devAccount.ts";
import { type Purse, query, rest } from "../../support/purse.ts";
import type { Services } from "./services.ts";

const MASTER = { useMasterKey: true };
const TRANSFER = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");
const abi = erc20Abi.find((entry) => entry.type === "event" && entry.name === "Transfer");
const TABLE = "Transferred";
/** How long the last events may take until they are stored and sent, after the longest pause between attempts, in ms. */
const DELIVERY_MS = 90_000;

/** Transfers on the chain: each is stored once, and sent to the webhook at least once, in the order of the chain. */
export class Transfers {
  readonly #services: Services;
  readonly #from = devAccount(0);
  readonly #to: Address = devAccount(7).address;
  #firstBlock = 0n;
  #sent = 0;
  stored = 0;
  delivered = 0;
  repeated = 0;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Watches the transfers, and waits until the nodes have indexed the chain. */
  async prepare(purse: Purse): Promise<void> {
    this.#firstBlock = (await this.#node().getBlockNumber()) + 1n;
    const isFollowing = async () => {
      const { chains } = await (await fetch(`${purse.url}/health`)).json();
      return chains.every(({ state }: { state: string }) => state === "following");
    };
    await expect.poll(isFollowing, { timeout: 90_000, interval: 200 }).toBe(true);
    const watch = {
      chainId: 1337,
      address: this.#services.chain.contracts.token.address,
      abi,
      tableName: TABLE,
      filter: { eq: ["to", this.#to.toLowerCase()] },
      webhook: this.#services.receiver.url,
      confirmations: 1,
    };
    const { status, body } = await rest(purse, "POST", "/functions/watchContractEvent", watch, MASTER);
    expect({ status, body }).toMatchObject({ status: 200 });
  }

  /** Sends the next transfer. Its value is its number. */
  async send(): Promise<void> {
    const transport = http(this.#services.chain.url, { retryCount: 0, timeout: 5_000 });
    const wallet = createWalletClient({ account: this.#from, transport });
    this.#sent += 1;
    await wallet
      .writeContract({
        address: this.#services.chain.contracts.token.address,
        abi: erc20Abi,
        functionName: "transfer",
        args: [this.#to, BigInt(this.#sent)],
        chain: null,
      })
      .catch(() => undefined);
  }

  async check(purse: Purse): Promise<void> {
    const logs = await this.#node().getLogs({
      address: this.#services.chain.contracts.token.address,
      event: TRANSFER,
      args: { to: this.#to },
      fromBlock: this.#firstBlock,
    });
    const expected = logs.map(({ args }) => String(args.value));
    const patience = { timeout: DELIVERY_MS, interval: 500 };
    await expect.poll(() => this.#storedValues(purse), patience).toEqual(expected);
    await expect.poll(() => [...new Set(this.#deliveredValues())], patience).toEqual(expected);
    this.stored = expected.length;
    this.delivered = this.#deliveredValues().length;
    this.repeated = this.delivered - this.stored;
  }

  async #storedValues(purse: Purse): Promise<string[]> {
    const path = `/classes/${TABLE}${query({ order: "block_number,log_index", limit: "10000" })}`;
    const { body } = await rest(purse, "GET", path, undefined, MASTER);
    return (Array.isArray(body.results) ? body.results : []).map((each) => String(Object(each).value));
  }

  #deliveredValues(): string[] {
    return this.#services.receiver.received.map(({ body }) =>
      isJsonObject(body.object) ? String(body.object.value) : JSON.stringify(body),
    );
  }

  #node() {
    return createPublicClient({ transport: http(this.#services.chain.url), cacheTime: 0 });
  }
}
