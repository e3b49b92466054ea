import {
  cancelTransaction,
  deactivateWeb3,
  enableWeb3,
  executeFunction,
  type FollowOptions,
  feeTiers,
  followTransaction,
  loadEthers,
  RevertError,
  readContract,
  sendTransaction,
  signMessage,
  signTypedData,
  simulate,
  speedUpTransaction,
  start,
  type TransactionReference,
  type TransactionState,
  transfer,
  transferCall,
  User,
  Web3API,
  walletState,
  writeContract,
} from "@purse/client";
import { type ContractName, readArtifact } from "@purse/devchain";
import { ethers } from "ethers";
import {
  type Address,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  http,
  parseAbi,
  parseEther,
  publicActions,
  recoverMessageAddress,
  recoverTypedDataAddress,
} from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { casesOf } from "../support/allCases.ts";
import { chainWallet } from "../support/chainWallet.ts";
import { devAccount } from "../support/devAccount.ts";
import { minedReceipt } from "../support/minedReceipt.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

let purse: Purse;
let kiosk: Address;
const wallet = chainWallet(() => purse.rpcUrl);

beforeAll(async () => {
  purse = await hostPurse({ devChain: true });
  await start({ serverUrl: purse.serverUrl, appId: purse.appId });
  User.enableUnsafeCurrentUser();
  kiosk = await deploy("PurseKiosk");
});
afterAll(() => purse?.remove());
beforeEach(async () => {
  wallet.index = 0;
  wallet.isWatchOnly = false;
  wallet.chainId = undefined;
  await enableWeb3({ connector: wallet.Connector });
  wallet.calls.length = 0;
});
afterEach(() => deactivateWeb3());

const node = () =>
  createTestClient({ mode: "anvil", transport: http(purse.rpcUrl), cacheTime: 0 }).extend(publicActions);
const signer = (index = 0) =>
  createWalletClient({ account: devAccount(index), transport: http(purse.rpcUrl), cacheTime: 0 });
const addressOf = (index: number): Address => devAccount(index).address;

async function deploy(name: ContractName): Promise<Address> {
  const { abi, bytecode } = readArtifact(name);
  const hash = await signer().deployContract({ abi, bytecode, chain: null });
  const { contractAddress } = await minedReceipt(node(), hash);
  if (!contractAddress) throw new Error(`${name} was not made`);
  return contractAddress;
}

/** Calls a contract as its owner. */
async function asOwner(address: Address, name: ContractName, functionName: string, args: unknown[]) {
  const { abi } = readArtifact(name);
  const hash = await signer().writeContract({ address, abi, functionName, args, chain: null });
  await minedReceipt(node(), hash);
}

function read(address: Address, name: ContractName, functionName: string, args: unknown[]): Promise<unknown> {
  return node().readContract({ address, abi: readArtifact(name).abi, functionName, args });
}

describe("transfer", () => {
  it.each<ContractName>(["PurseToken", "PurseLegacy"])(
    "sends tokens of %s, whether or not transfer() returns a value",
    async (name) => {
      const contractAddress = await deploy(name);
      if (name === "PurseLegacy") await asOwner(contractAddress, name, "mint", [addressOf(0), 100n]);
      const sent = await transfer({ type: "erc20", contractAddress, receiver: addressOf(7), amount: "9" });
      expect(sent).toMatchObject({
        from: addressOf(0).toLowerCase(),
        chainId: 1337,
        nonce: expect.any(Number),
      });
      expect(await sent.wait()).toMatchObject({ succeeded: true, status: 1, transactionHash: sent.hash });
      expect(await read(contractAddress, name, "balanceOf", [addressOf(7)])).toBe(9n);
    },
  );

  it("sends an NFT, also with the old type names", {
    tags: [
      "5.transfer.type-erc721",
      "3.transfer.erc721.contract-address",
      "3.transfer.erc721.receiver",
      "3.transfer.erc721.token-id",
    ],
  }, async () => {
    const pieces = await deploy("PursePieces");
    await asOwner(pieces, "PursePieces", "mint", [addressOf(0)]);
    await asOwner(pieces, "PursePieces", "mint", [addressOf(0)]);
    const first = { contractAddress: pieces, tokenId: "1" };
    await (await transfer({ type: "erc721", receiver: addressOf(7), ...first })).wait();
    const second = { contract_address: pieces, token_id: 2 };
    await (await transfer({ type: "erc721", receiver: addressOf(8), ...second })).wait();
    expect(await read(pieces, "PursePieces", "ownerOf", [1n])).toBe(addressOf(7));
    expect(await read(pieces, "PursePieces", "ownerOf", [2n])).toBe(addressOf(8));
  });

  it("sends an amount of an ERC-1155 item", {
    tags: [
      "5.transfer.type-erc1155",
      "3.transfer.erc1155.contract-address",
      "3.transfer.erc1155.receiver",
      "3.transfer.erc1155.token-id",
      "3.transfer.erc1155.amount",
    ],
  }, async () => {
    const items = await deploy("PurseItems");
    await asOwner(items, "PurseItems", "mint", [addressOf(0), 0n, 5n]);
    const item = { contractAddress: items, tokenId: "0", amount: 2 };
    await (await transfer({ type: "erc1155", receiver: addressOf(7), ...item })).wait();
    expect(await read(items, "PurseItems", "balanceOf", [addressOf(7), 0n])).toBe(2n);
  });

  it("treats the number 0 as a missing token ID, as the old client did", async () => {
    const options = { type: "erc721" as const, contractAddress: kiosk, receiver: addressOf(7), tokenId: 0 };
    await expect(transfer(options)).rejects.toEqual(["tokenId is required"]);
  });

  it("rejects a type that is not a string", { tags: ["8.wallet.unknown-transfer-type"] }, async () => {
    const options = { type: ["erc20"], contractAddress: kiosk, receiver: addressOf(7), amount: 1 };
    await expect(Reflect.apply(transfer, undefined, [options])).rejects.toThrow(
      'Unknown transfer type: "erc20"',
    );
  });

  it("rejects with the token's revert reason without requesting a signature", async () => {
    const token = await deploy("PurseToken");
    wallet.index = 6;
    const options = { type: "erc20" as const, contractAddress: token, receiver: addressOf(7), amount: "5" };
    await expect(transfer(options)).rejects.toMatchObject({
      code: "CALL_EXCEPTION",
      errorName: "ERC20InsufficientBalance",
      errorArgs: [addressOf(6), 0n, 5n],
    });
    expect(wallet.calls).not.toContain("eth_sendTransaction");
  });
});

it("transfer() sends a transaction that the data API returns", {
  tags: ["1.capability.query-data-service"],
}, async () => {
  const to = `0x${"d7".repeat(20)}`;
  const { hash, wait } = await transfer({ receiver: to, amount: "5" });
  await wait();
  const readBalance = async () =>
    (await Web3API.account.getNativeBalance({ chain: "0x539", address: to })).balance;
  await expect.poll(readBalance, { timeout: 20_000 }).toBe("5");
  await expect
    .poll(
      async () => {
        const { result } = await Web3API.account.getTransactions({ chain: "0x539", address: to });
        return result.map((row) => [row.hash, row.value]);
      },
      { timeout: 20_000 },
    )
    .toEqual([[hash, "5"]]);
});

describe("executeFunction", () => {
  const { abi } = readArtifact("PurseKiosk");
  const run = (functionName: string, params: object = {}, more: object = {}) =>
    executeFunction({ contractAddress: kiosk, abi, functionName, params: { ...params }, ...more });
  /** A transaction that was sent and is in a block. */
  async function waitForReceipt(sent: Promise<unknown>) {
    const transaction: unknown = await sent;
    if (typeof transaction !== "object" || transaction === null || !("wait" in transaction)) {
      throw new Error("No transaction was sent");
    }
    if (typeof transaction.wait !== "function") throw new Error("It cannot be waited for");
    return transaction.wait();
  }

  it("sends a transaction for write functions and returns values of view functions", {
    tags: ["1.capability.contract-call"],
  }, async () => {
    const receipt = await waitForReceipt(run("stock(string,uint256)", { label: "tea", price: "30" }));
    expect(receipt).toMatchObject({ succeeded: true });
    expect(receipt.logs).toHaveLength(1);
    expect(await run("open", { said: false })).toBe(false);
    expect(await run("sales")).toBe(0n);
  });

  it("accepts tuples as objects and arrays, and arrays of tuples", async () => {
    const before = await run("total()");
    const item = { label: "cake", price: 40n, tasters: [addressOf(3), addressOf(4)] };
    await waitForReceipt(run("stock((string,uint256,address[]))", { one: item }));
    const items = [
      ["pie", "50", []],
      ["jam", 60, []],
    ];
    await waitForReceipt(run("stock((string,uint256,address[])[])", { items }));
    expect(await run("total()")).toBe(BigInt(String(before)) + 150n);
  });

  it("returns multiple values and tuples as arrays with named properties, as ethers does", async () => {
    const all = await run("all");
    const id = Array.isArray(all) ? all.findIndex(({ label }) => label === "cake") : -1;
    const item = await run("item", { id });
    expect(item).toMatchObject({
      0: "cake",
      1: 40n,
      label: "cake",
      price: 40n,
      tasters: [addressOf(3), addressOf(4)],
    });
    expect(Array.isArray(item)).toBe(true);
    expect(await run("whole", { id })).toMatchObject({ 0: "cake", label: "cake", price: 40n });
    expect(await run("total(uint256[])", { ids: [id, String(id)] })).toBe(80n);
  });

  it("sends msgValue to payable functions and rejects it for others", async () => {
    const sent = await waitForReceipt(run("buy", { id: 0 }, { msgValue: "30" }));
    expect(sent.succeeded).toBe(true);
    expect(await run("sales")).toBe(1n);
    expect(await node().getBalance({ address: kiosk })).toBe(30n);
    await expect(run("stock(string,uint256)", { label: "x", price: 1 }, { msgValue: 1 })).rejects.toThrow(
      "it is not payable",
    );
  });

  it.each([
    ["a custom error", "buy", { id: 0 }, "TooLittle(0, 30)", "TooLittle"],
    ["one without arguments", "buy", { id: 999 }, "SoldOut()", "SoldOut"],
    ["a text", "close", {}, "The kiosk never closes", "Error"],
    ["a panic", "item", { id: 999 }, "index out of bounds", "Panic"],
  ])("rejects with the revert reason of %s", async (_name, functionName, params, reason, errorName) => {
    const refused = run(functionName, params);
    await expect(refused).rejects.toBeInstanceOf(RevertError);
    await expect(run(functionName, params)).rejects.toMatchObject({
      reason,
      errorName,
      code: "CALL_EXCEPTION",
    });
    expect(wallet.calls).not.toContain("eth_sendTransaction");
  });

  it("rejects a function that is not in the ABI", { tags: ["5.contract-call.function-in-abi"] }, async () => {
    await expect(run("shut")).rejects.toThrow("Function does not exist in abi");
    await expect(run("shut(uint256)")).rejects.toThrow("Function does not exist in abi");
    const event = run("Sold");
    await expect(event).rejects.toThrow("Function does not exist in abi");
  });

  it("requires the full signature of an overloaded function", {
    tags: ["5.contract-call.full-signature"],
  }, async () => {
    await expect(run("total")).rejects.toThrow(
      "Multiple function definitions found in the abi. Please include the topic in the functionName. Possible funcationNames: total() ,total(uint256[])",
    );
    await expect(run("total(address)")).rejects.toThrow(
      "Function with the provided topic does not exist in abi. Possible funcationNames: total() ,total(uint256[])",
    );
    expect(await run("total( uint[] ids )", { ids: [] })).toBe(0n);
  });

  it("requires a from address to send a transaction, but not to call a view function", {
    tags: ["5.contract-call.from-address"],
  }, async () => {
    await deactivateWeb3();
    wallet.isWatchOnly = true;
    await enableWeb3({ connector: wallet.Connector });
    expect(await run("sales")).toBe(1n);
    await expect(run("buy", { id: 0 })).rejects.toThrow("From address is required");
  });

  it("requires every named input, and accepts 0 and false", {
    tags: ["5.contract-call.named-inputs"],
  }, async () => {
    await expect(run("stock(string,uint256)", {})).rejects.toEqual([
      "label is required",
      "price is required",
    ]);
    await waitForReceipt(run("stock(string,uint256)", { label: "air", price: 0 }));
    expect(await run("open", { said: false })).toBe(false);
  });

  it("names the input that has the wrong type", async () => {
    await expect(run("item", { id: "first" })).rejects.toThrow("id must be a whole number, not first");
    await expect(run("total(uint256[])", { ids: [1, {}] })).rejects.toThrow("ids[1] must be a whole number");
    await expect(run("stock((string,uint256,address[]))", { one: ["x"] })).rejects.toThrow(
      "one must be an object or a list of 3",
    );
  });

  it("rejects a function that the contract does not implement", async () => {
    const contractAddress = addressOf(9);
    await expect(run("sales", {}, { contractAddress })).rejects.toThrow(
      'Cannot find function "sales" on the contract',
    );
  });

  it("returns BigNumber values when the application provides ethers", async () => {
    expect(await loadEthers()).toBe(ethers);
    const total = await run("total()");
    expect(total).toBeInstanceOf(ethers.BigNumber);
    expect(await run("item", { id: 0 })).toMatchObject({ label: "tea", price: ethers.BigNumber.from("30") });
    const ethersContract = new ethers.Contract(
      kiosk,
      JSON.stringify(abi),
      new ethers.providers.JsonRpcProvider(purse.rpcUrl),
    );
    for (const [name, params, args] of [
      ["item", { id: 1 }, [1]],
      ["whole", { id: 1 }, [1]],
      ["all", {}, []],
    ] as const) {
      const [ours, expected] = await Promise.all([run(name, params), ethersContract[name](...args)]);
      expect(JSON.stringify(ours)).toBe(JSON.stringify(expected));
      expect(Object.keys(Object(ours))).toEqual(Object.keys(expected));
    }
    await start({ serverUrl: purse.serverUrl, appId: purse.appId });
    expect(typeof (await run("total()"))).toBe("bigint");
  });
});

describe("readContract() and writeContract() with a typed ABI", () => {
  const abi = parseAbi([
    "struct Item { string label; uint256 price; address[] tasters; }",
    "error SoldOut()",
    "function stock(string label, uint256 price) returns (uint256 id)",
    "function stock(Item one) returns (uint256 id)",
    "function buy(uint256 id) payable",
    "function total() view returns (uint256 sum)",
    "function whole(uint256 id) view returns (Item)",
  ]);

  it("infer the types of arguments and return values", async () => {
    const before = await readContract({ address: kiosk, abi, functionName: "total" });
    const item = { label: "fig", price: 3n, tasters: [] };
    const sent = await writeContract({ address: kiosk, abi, functionName: "stock", args: [item] });
    expect(await sent.wait()).toMatchObject({ succeeded: true });
    expect((await readContract({ address: kiosk, abi, functionName: "total" })) - before).toBe(3n);
    const { label } = await readContract({ address: kiosk, abi, functionName: "whole", args: [0n] });
    expect(label.toUpperCase()).toBe("TEA");
  });

  it("reject with the errors that the ABI defines", async () => {
    const call = { address: kiosk, abi, functionName: "buy", args: [999n] } as const;
    await expect(writeContract(call)).rejects.toMatchObject({ errorName: "SoldOut" });
    await expect(readContract({ address: kiosk, abi, functionName: "whole", args: [999n] })).rejects.toThrow(
      "index out of bounds",
    );
  });

  it("do not compile with functions or arguments that the contract does not have", () => {
    // Only for the compiler: nothing is called.
    const wrong = () => [
      // @ts-expect-error -- There is no such function.
      readContract({ address: kiosk, abi, functionName: "none" }),
      // @ts-expect-error -- It takes a whole number.
      readContract({ address: kiosk, abi, functionName: "whole", args: ["0"] }),
      // @ts-expect-error -- It writes.
      readContract({ address: kiosk, abi, functionName: "buy", args: [0n] }),
      // @ts-expect-error -- It takes an item.
      writeContract({ address: kiosk, abi, functionName: "stock", args: [{ label: "x" }] }),
    ];
    expect(wrong).toBeTypeOf("function");
  });
});

describe("signing", () => {
  const mail = {
    domain: { name: "Purse", version: "1", chainId: 1337, verifyingContract: `0x${"11".repeat(20)}` },
    types: {
      Mail: [
        { name: "to", type: "Person" },
        { name: "amount", type: "uint256" },
      ],
      Person: [{ name: "name", type: "string" }],
    },
    message: { to: { name: "Ada" }, amount: 2n ** 200n },
  } as const;

  it("signs personal messages (EIP-191)", async () => {
    const signature = await signMessage("Hello, Purse");
    expect(await recoverMessageAddress({ message: "Hello, Purse", signature: hex(signature) })).toBe(
      addressOf(0),
    );
  });

  it("signs typed data (EIP-712), also as JSON and without a primary type", async () => {
    const expected = { ...mail, primaryType: "Mail" } as const;
    for (const given of [
      mail,
      JSON.stringify({ ...mail, message: { ...mail.message, amount: `${2n ** 200n}` } }),
    ]) {
      const signature = hex(await signTypedData(given));
      expect(await recoverTypedDataAddress({ ...expected, signature })).toBe(addressOf(0));
    }
  });

  it("checks the wallet's account and chain right before each request", async () => {
    wallet.index = 2;
    const signature = hex(await signMessage("now"));
    expect(await recoverMessageAddress({ message: "now", signature })).toBe(addressOf(2));
    await expect(signMessage("now", { account: addressOf(0) })).rejects.toThrow("The wallet's account is");
    wallet.chainId = "0x1";
    await expect(signTypedData(mail)).rejects.toThrow("The wallet is on chain 0x1, not on 0x539");
    await expect(sendTransaction({ to: addressOf(1), value: 1n }, { chainId: 1337 })).rejects.toThrow(
      "The wallet is on chain 0x1",
    );
    expect(wallet.calls).not.toContain("eth_signTypedData_v4");
    expect(wallet.calls).not.toContain("eth_sendTransaction");
  });

  it("rejects data that does not match its types", async () => {
    const message = { to: { name: "Ada" }, amount: -1 };
    await expect(signTypedData({ ...mail, message })).rejects.toThrow("is not in safe");
    expect(wallet.calls).not.toContain("eth_signTypedData_v4");
  });

  const hex = (text: string): `0x${string}` => `0x${text.slice(2)}`;
});

describe("the status of a transaction", () => {
  beforeEach(() => node().setAutomine(false));
  afterEach(async () => {
    await node().setAutomine(true);
    await node().mine({ blocks: 1 });
  });

  const provider = () => {
    const state = walletState();
    if (state.status !== "enabled") throw new Error("No wallet");
    return state.provider;
  };
  /** Tracks a transaction and records its states. */
  function track(reference: TransactionReference, options: FollowOptions = {}) {
    const followed = followTransaction(reference, provider(), { pollMs: 20, ...options });
    const states: TransactionState[] = [];
    const stop = followed.subscribe((state) => states.push(state));
    return { followed, states, stop };
  }
  /** The machine may be busy with other tests. */
  const waitFor = <T>(read: () => T) => expect.poll(read, { timeout: 20_000 });
  const status = ({ followed }: { followed: { state: TransactionState } }) => followed.state.status;

  it("changes from seen to confirmed to final", async () => {
    const sent = await sendTransaction({ to: addressOf(5), value: 1n });
    const tracked = track(sent.reference, { confirmations: 3 });
    await waitFor(() => status(tracked)).toBe("seen");
    await node().mine({ blocks: 1 });
    await waitFor(() => status(tracked)).toBe("confirmed");
    await node().mine({ blocks: 2 });
    await waitFor(() => tracked.followed.state).toMatchObject({ confirmations: 3 });
    expect(tracked.states.map((state) => state.status)).toEqual(
      expect.arrayContaining(["seen", "confirmed"]),
    );
    expect(await sent.wait(3)).toMatchObject({ transactionHash: sent.hash, succeeded: true });
    tracked.stop();
  });

  it("is tracked again after a reload from its JSON reference", async () => {
    const sent = await sendTransaction({ to: addressOf(5), value: 1n });
    const { chainId, hash, from, nonce } = sent.reference;
    const reference = JSON.parse(JSON.stringify({ chainId, hash, from, nonce }));
    await node().mine({ blocks: 1 });
    const tracked = track(reference);
    await waitFor(() => status(tracked)).toBe("confirmed");
    tracked.stop();
  });

  it("is reverted, with the revert reason", async () => {
    const { abi } = readArtifact("PurseKiosk");
    // The wallet sends it although the contract reverts, as if it was sold out meanwhile.
    const hash = await signer().writeContract({
      address: kiosk,
      abi,
      functionName: "buy",
      args: [999n],
      gas: 100_000n,
      chain: null,
    });
    const tracked = track({ hash, chainId: "0x539" }, { abi });
    await node().mine({ blocks: 1 });
    await waitFor(() => tracked.followed.state).toMatchObject({
      status: "reverted",
      revert: { reason: "SoldOut()", errorName: "SoldOut" },
    });
    tracked.stop();
  });

  const replacements: [kind: string, reason: string, replacement: () => { to: string; value: bigint }][] = [
    ["replaced", "replaced", () => ({ to: addressOf(6), value: 9n })],
    ["sped up", "repriced", () => ({ to: addressOf(5), value: 7n })],
    ["cancelled", "cancelled", () => ({ to: addressOf(0), value: 0n })],
  ];
  // The others are those of the sender, below.
  it.each(casesOf(replacements, ([kind]) => kind === "replaced"))(
    "is replaced when the transaction is %s by another one with the same nonce",
    async (kind, reason, replacement) => {
      const sent = await sendTransaction({ to: addressOf(5), value: 7n });
      const tracked = track(sent.reference);
      const waiting = sent.wait();
      // It may reject before it is awaited.
      waiting.catch(() => undefined);
      await waitFor(() => status(tracked)).toBe("seen");
      const fees = { maxFeePerGas: parseEther("0.000001"), maxPriorityFeePerGas: parseEther("0.0000005") };
      const { hash } = await sendTransaction(replacement(), { fees, nonce: sent.nonce ?? 0 });
      await node().mine({ blocks: 1 });
      await waitFor(() => tracked.followed.state).toMatchObject({ status: "replaced", reason: kind, hash });
      await expect(waiting).rejects.toMatchObject({ code: "TRANSACTION_REPLACED", reason, hash });
      tracked.stop();
    },
  );

  it.each([
    ["sped up", speedUpTransaction],
    ["cancelled", cancelTransaction],
  ])("is replaced when the sender has it %s", async (kind, replace) => {
    const sent = await sendTransaction({ to: addressOf(5), value: 7n });
    const tracked = track(sent.reference);
    await waitFor(() => status(tracked)).toBe("seen");
    const { hash, nonce } = await replace(JSON.parse(JSON.stringify(sent.reference)));
    expect(nonce).toBe(sent.nonce);
    await node().mine({ blocks: 1 });
    await waitFor(() => tracked.followed.state).toMatchObject({ status: "replaced", reason: kind, hash });
    tracked.stop();
    await expect(replace({ ...sent.reference, hash })).rejects.toThrow(
      "The transaction is in a block already",
    );
    await expect(replace({ ...sent.reference, nonce: null })).rejects.toThrow("which are not known");
  });

  it("is dropped when the node drops the transaction from its mempool", async () => {
    const sent = await sendTransaction({ to: addressOf(5), value: 1n });
    const tracked = track(sent.reference);
    await waitFor(() => status(tracked)).toBe("seen");
    await node().dropTransaction({ hash: `0x${sent.hash.slice(2)}` });
    await waitFor(() => status(tracked)).toBe("dropped");
    tracked.stop();
  });

  it("is unreachable while the wallet is on another chain, and recovers after that", async () => {
    const sent = await sendTransaction({ to: addressOf(5), value: 1n });
    wallet.chainId = "0x1";
    const tracked = track(sent.reference);
    await waitFor(() => tracked.followed.state).toMatchObject({
      status: "unreachable",
      last: { status: "submitted" },
    });
    wallet.chainId = undefined;
    await waitFor(() => status(tracked)).toBe("seen");
    tracked.stop();
  });
});

describe("simulate", () => {
  it("returns balance changes, gas and fees without requesting a signature", async () => {
    const result = await simulate({ to: addressOf(5), value: parseEther("1") });
    expect(result).toMatchObject({
      from: addressOf(0).toLowerCase(),
      revert: null,
      gas: 21_000n,
      changes: [{ type: "native", contractAddress: null, amount: -parseEther("1") }],
    });
    const { slow, normal, fast, baseFeePerGas } = result.fees;
    expect(baseFeePerGas).toBeTypeOf("bigint");
    expect(slow.maxFeePerGas).toBeLessThanOrEqual(normal.maxFeePerGas);
    expect(normal.maxFeePerGas).toBeLessThanOrEqual(fast.maxFeePerGas);
    expect(wallet.calls).not.toContain("eth_sendTransaction");
  });

  it("includes token transfers if the node can trace transactions", async () => {
    const token = await deploy("PurseToken");
    const options = { type: "erc20", contractAddress: token, receiver: addressOf(5), amount: 12 } as const;
    const { changes, complete } = await simulate(await transferCall(options));
    expect(complete).toBe(true);
    expect(changes).toEqual([
      { type: "erc20", contractAddress: token.toLowerCase(), tokenId: null, amount: -12n },
    ]);
  });

  it("returns the revert reason", async () => {
    const { abi } = readArtifact("PurseKiosk");
    const data = encodeFunctionData({ abi, functionName: "buy", args: [0n] });
    expect(await simulate({ to: kiosk, data }, { abi })).toMatchObject({
      gas: null,
      revert: { reason: "TooLittle(0, 30)" },
      changes: [],
    });
  });

  it("feeTiers() estimates fees without a wallet account", async () => {
    const fees = await feeTiers({ request: (call) => node().transport.request(call) });
    expect(fees.fast.maxPriorityFeePerGas).toBeGreaterThanOrEqual(fees.slow.maxPriorityFeePerGas);
  });
});
