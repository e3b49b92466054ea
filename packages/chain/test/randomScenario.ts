import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi, parseEther } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { lower } from "./nodeHistory.ts";
import type { Choice } from "./randomQuestions.ts";
import type { LocalChain, TestChain } from "./testChain.ts";
import { TestEntryPoint } from "./testEntryPoint.ts";
import { deploySeaport, type SeaportHand } from "./testSeaport.ts";
import { moveToken, newSeries, newWeth, unwrap, wrap } from "./testTokens.ts";
import { TestUniswap } from "./testUniswap.ts";

/** The accounts that do something, and one of which transactions wait for others. */
export const ACCOUNTS = [0, 1, 2, 3, 4, 5];
const WAITING = 9;
const SERIES_SIZE = 30;
const ARTWORKS = 12;
const HATS = ["Red", "Green", "Blue"];

const abi = parseAbi([
  "function setApprovalForAll(address operator, bool isApproved)",
  "function approve(address spender, uint256 amountOrId)",
  "function transfer(address to, uint256 amount)",
  "function mint(address to, uint256 amount)",
  "function execute(address to, uint256 value, bytes data)",
]);

/** A sale of the truth; addresses are in lower case. */
export interface Sale {
  seller: string;
  buyer: string;
  price: string;
  id: string;
  isPaidInCoins: boolean;
}

/**
 * A history of widely used contracts: tokens of OpenZeppelin, WETH9, Uniswap v2 and v3, Seaport, EntryPoint and smart
 * accounts. Its events are random.
 */
export class RandomScenario {
  readonly sales: Sale[] = [];
  readonly weth: Address;
  readonly series: Address;
  readonly gallery: Address;
  readonly seaport: SeaportHand;
  readonly uniswap: TestUniswap;
  readonly entryPoint: TestEntryPoint;
  /** The first block with all pools. */
  readonly since: number;
  readonly waiting: { address: Address; hashes: readonly Hex[] };
  readonly #choice: Choice;
  readonly #chain: TestChain;
  readonly #dollar: Address;
  /** The accounts that own the tokens of the series, by id. */
  readonly #owners: number[];

  private constructor(
    choice: Choice,
    chain: TestChain,
    dollar: Address,
    scenario: Pick<
      RandomScenario,
      "weth" | "series" | "gallery" | "seaport" | "uniswap" | "entryPoint" | "since" | "waiting"
    >,
  ) {
    this.#choice = choice;
    this.#chain = chain;
    this.#dollar = dollar;
    this.#owners = Array.from({ length: SERIES_SIZE }, (_, i) => (i < SERIES_SIZE / 2 ? 1 : 2));
    ({
      weth: this.weth,
      series: this.series,
      gallery: this.gallery,
      seaport: this.seaport,
      uniswap: this.uniswap,
      entryPoint: this.entryPoint,
      since: this.since,
      waiting: this.waiting,
    } = scenario);
  }

  /** Deploys the contracts, with the pools more than a day ago, and lets many events happen. */
  static async create(
    choice: Choice,
    chain: TestChain,
    devChain: LocalChain & { contracts: { dollar: { address: Address } } },
    events: number,
  ): Promise<RandomScenario> {
    const { dollar } = devChain.contracts;
    const latest = Object(await chain.rpc("eth_getBlockByNumber", ["latest", false]));
    await chain.rpc("anvil_setTime", [Number(latest.timestamp) + 60]);
    const weth = await newWeth(chain);
    const uniswap = await TestUniswap.deploy(chain, weth);
    const mint = [chain.account(0), 10n ** 12n] as const;
    await chain.send(0, dollar.address, encodeFunctionData({ abi, functionName: "mint", args: mint }));
    await chain.send(
      0,
      chain.token,
      encodeFunctionData({ abi, functionName: "mint", args: [chain.account(0), parseEther("100000")] }),
    );
    await wrap(chain, weth, 0, parseEther("4"));
    const dollars = 10n ** 6n;
    await uniswap.createV2(0, chain.token, { units: parseEther("5000"), coins: parseEther("2") });
    await uniswap.createV2(0, dollar.address, { units: 2_000n * dollars, coins: parseEther("1") });
    await uniswap.createV3(0, dollar.address, { units: 8_040n * dollars, coins: parseEther("4") });
    const since = await chain.head();
    await chain.rpc("anvil_setTime", [Math.floor(Date.now() / 1_000)]);
    const half = SERIES_SIZE / 2;
    const series = await newSeries(chain, [
      [1, half],
      [2, half],
    ]);
    const seaport = await deploySeaport(chain, devChain, "1.6");
    const gallery = await chain.createGallery();
    const entryPoint = await TestEntryPoint.deploy(chain, "0.7", generatePrivateKey());
    const waiting = { address: chain.account(WAITING), hashes: await queue(chain) };
    const scenario = { weth, series, gallery, seaport, uniswap, entryPoint, since, waiting };
    const created = new RandomScenario(choice, chain, dollar.address, scenario);
    await created.#prepare();
    for (let i = 0; i < events; i++) await created.#happen();
    return created;
  }

  /** Random events in new blocks. */
  async continue(events: number): Promise<void> {
    for (let i = 0; i < events; i++) await this.#happen();
  }

  #account(): Address {
    return this.#chain.account(this.#choice.of(ACCOUNTS));
  }

  async #prepare(): Promise<void> {
    const [chain, { v2 }] = [this.#chain, this.uniswap];
    const isApproved = [this.seaport.address, true] as const;
    const all = encodeFunctionData({ abi, functionName: "setApprovalForAll", args: isApproved });
    for (const each of ACCOUNTS) {
      await chain.send(each, this.series, all);
      await this.uniswap.approve(each, this.weth, this.seaport.address, 10n ** 18n);
      await this.uniswap.approve(each, chain.token, v2.router);
      await wrap(chain, this.weth, each, 10_000n);
    }
    await chain.transfer(0, this.entryPoint.sender, 1_000n);
    for (let id = 0; id < ARTWORKS; id++) {
      const hat = HATS[id % HATS.length] ?? "";
      const attributes = [
        { trait_type: "Hat", value: hat },
        ...(id % 4 === 0 ? [{ trait_type: "Rare", value: true }] : []),
      ];
      const metadata = { name: `Work ${hat}`, image: "https://art.example/1.png", attributes };
      const uri = `data:application/json,${encodeURIComponent(JSON.stringify(metadata))}`;
      await chain.mintArtwork(this.gallery, chain.account(1 + (id % 3)), BigInt(id), uri);
    }
    await this.#operate(true);
    await this.#sell(1, 0, "coins");
    await chain.send(2, this.series, approval(this.#account(), BigInt(this.#owned(2))));
  }

  /** A token of the series of an account. */
  #owned(account: number): number {
    return this.#owners.indexOf(account);
  }

  async #happen(): Promise<void> {
    const [choice, chain] = [this.#choice, this.#chain];
    const by = choice.of(ACCOUNTS);
    const id = choice.below(SERIES_SIZE);
    const owner = this.#owners[id] ?? 1;
    const amount = BigInt(1 + choice.below(500));
    const events: readonly (() => Promise<unknown>)[] = [
      () => chain.transfer(0, this.#account(), amount),
      () => wrap(chain, this.weth, by, amount),
      () => unwrap(chain, this.weth, by, 1n + amount / 10n),
      () => this.#move(id, owner),
      () => this.#sell(owner, id, choice.isTrue(0.3) ? "coins" : "weth"),
      () => this.#sell(owner, id, "weth"),
      () => chain.mine(1 + choice.below(3)),
      () => this.uniswap.buyV2(by, chain.token, (parseEther("0.001") * amount) / 100n),
      () => this.uniswap.sellV2(0, chain.token, parseEther("0.01") * amount),
      () => this.uniswap.buyV3(by, this.#dollar, parseEther("0.0001") * amount),
      () =>
        chain.send(
          by,
          choice.of([chain.token, this.#dollar]),
          approval(this.#account(), choice.isTrue(0.3) ? 0n : amount),
        ),
      () => chain.send(by, this.#account(), "0x", amount),
      () => chain.transferItems(this.#account(), [1n, 2n], [1n, 1n]),
      () => this.#fail(by),
      () => this.#operate(false),
    ];
    await choice.of(events)();
  }

  async #move(id: number, owner: number): Promise<void> {
    const to = this.#choice.of(ACCOUNTS);
    await moveToken(this.#chain, this.series, owner, to, BigInt(id));
    this.#owners[id] = to;
  }

  /** A sale by matched orders of both sides, or by one order that the other side fulfills. */
  async #sell(seller: number, id: number, currency: "coins" | "weth"): Promise<void> {
    const choice = this.#choice;
    const buyer = choice.of(ACCOUNTS.filter((each) => each !== seller));
    const amount = BigInt(1 + choice.below(50));
    const piece = { kind: "erc721", token: this.series, id: BigInt(id) } as const;
    const isPaidInCoins = currency === "coins";
    const payment = isPaidInCoins
      ? ({ kind: "coin", amount } as const)
      : ({ kind: "erc20", token: this.weth, amount } as const);
    const query = { by: seller, offer: [piece], wants: [payment] };
    if (isPaidInCoins) await this.seaport.fulfill(buyer, query, amount);
    else if (choice.isTrue()) await this.seaport.fulfill(buyer, query);
    else {
      const bid = { by: buyer, offer: [payment], wants: [piece] };
      await this.seaport.match(
        choice.of(ACCOUNTS),
        [query, bid],
        [
          [[[0, 0]], [[1, 0]]],
          [[[1, 0]], [[0, 0]]],
        ],
      );
    }
    this.#owners[id] = buyer;
    const [sold, bought] = [seller, buyer].map((each) => lower(this.#chain.account(each)));
    this.sales.push({
      seller: sold ?? "",
      buyer: bought ?? "",
      price: String(amount),
      id: String(id),
      isPaidInCoins,
    });
  }

  /** A user operation of the smart account, which transfers tokens. */
  async #operate(isFirst: boolean): Promise<void> {
    const args = [this.#account(), 1n] as const;
    const data = encodeFunctionData({ abi, functionName: "transfer", args });
    const call = [this.#chain.token, 0n, data] as const;
    const callData = encodeFunctionData({ abi, functionName: "execute", args: call });
    const signed = await this.entryPoint.sign({ callData, isFirst });
    const input = this.entryPoint.encode([signed], this.#chain.account(4));
    await this.#chain.send(3, this.entryPoint.address, input);
  }

  /** A transfer of more than any balance, which is reverted. */
  async #fail(by: number): Promise<void> {
    const args = [this.#account(), 2n ** 200n] as const;
    const data = encodeFunctionData({ abi, functionName: "transfer", args });
    const call = { from: this.#chain.account(by), to: this.#chain.token, data, gas: numberToHex(100_000) };
    const hash = await this.#chain.rpc("eth_sendTransaction", [call]);
    for (;;)
      if (await this.#chain.rpc("eth_getTransactionByHash", [hash]).then((found) => Object(found).blockHash))
        return;
  }
}

const approval = (spender: Address, amountOrId: bigint): Hex =>
  encodeFunctionData({ abi, functionName: "approve", args: [spender, amountOrId] });

/** Transactions that wait for others which are never sent. */
async function queue(chain: TestChain): Promise<Hex[]> {
  const from = chain.account(WAITING);
  const next = Number(await chain.rpc("eth_getTransactionCount", [from, "latest"]));
  const hashes: Hex[] = [];
  for (const offset of [1_000, 1_001]) {
    const call = {
      from,
      to: from,
      value: "0x1",
      gas: "0x5208",
      nonce: numberToHex(next + offset),
    };
    hashes.push(`0x${String(await chain.rpc("eth_sendTransaction", [call])).slice(2)}`);
  }
  return hashes;
}
