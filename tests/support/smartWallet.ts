import {
  concat,
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  isHex,
  pad,
  size,
  toHex,
} from "viem";
import type { TestWallet } from "./browser.ts";
import { devAccount } from "./devAccount.ts";

/** The contract that accounts of smart wallets delegate to (EIP-7702). */
const EXECUTOR = "0x5afe5afe5afe5afe5afe5afe5afe5afe5afe5afe";
/**
 * Its code executes calls one after another, and reverts with the error of the first that fails. Its input is a sequence
 * of calls: 20 bytes of address, 32 bytes of value, 32 bytes of length, and the data.
 */
const EXECUTOR_CODE =
  "0x5f5b803611600957005b803560601c8160140135826034013580846054015f375f5f825f85875af16032573d5f5f3e3d5ffd5b91505001605401600156";

/** Controls how a wallet executes calls that are sent together. */
export interface SmartWallet {
  /** The contracts called by each batch that was executed. */
  readonly batches: string[][];
  /** Rejects the next batch with an error of this code. */
  refuseNext(code: number): void;
}

/**
 * Makes a test wallet one that executes calls together (EIP-5792): its account becomes a smart account (EIP-7702) with
 * the first batch.
 */
export async function makeSmart(wallet: TestWallet, rpcUrl: string, index: number): Promise<SmartWallet> {
  const transport = http(rpcUrl);
  const account = devAccount(index);
  const node = createPublicClient({ transport, cacheTime: 0 });
  const signer = createWalletClient({ account, transport });
  await createTestClient({ mode: "anvil", transport }).setCode({
    address: EXECUTOR,
    bytecode: EXECUTOR_CODE,
  });
  const batches: string[][] = [];
  let rejection: number | undefined;

  const isUpgraded = async () =>
    (await node.getCode({ address: account.address }))?.startsWith("0xef0100") === true;

  wallet.answer("wallet_getCapabilities", async () => ({
    "0x539": { atomic: { status: (await isUpgraded()) ? "supported" : "ready" } },
  }));
  wallet.answer("wallet_sendCalls", async ([request]) => {
    if (rejection !== undefined) {
      const code = rejection;
      rejection = undefined;
      throw Object.assign(new Error("The calls were refused"), { code });
    }
    const calls: { to: Hex; value?: Hex; data?: Hex }[] = Object(request).calls;
    const data = concat(
      calls.flatMap(({ to, value = "0x0", data: input = "0x" }) => [
        to,
        pad(toHex(BigInt(value))),
        pad(toHex(size(input))),
        input,
      ]),
    );
    const authorizationList = (await isUpgraded())
      ? []
      : [await signer.signAuthorization({ contractAddress: EXECUTOR, executor: "self" })];
    const hash = await signer.sendTransaction({
      chain: null,
      to: account.address,
      data,
      ...(authorizationList.length > 0 && { authorizationList }),
    });
    batches.push(calls.map(({ to }) => to.toLowerCase()));
    return { id: hash };
  });
  wallet.answer("wallet_getCallsStatus", async ([id]) => {
    const request: { method: string; params: unknown[] } = {
      method: "eth_getTransactionReceipt",
      params: [id],
    };
    const receipt: unknown = isHex(id) ? await node.transport.request(request) : null;
    if (!receipt) return { version: "2.0.0", id, status: 100 };
    const status = Object(receipt).status === "0x1" ? 200 : 500;
    return { version: "2.0.0", id, chainId: "0x539", status, atomic: true, receipts: [receipt] };
  });
  return {
    batches,
    refuseNext(code) {
      rejection = code;
    },
  };
}
