import { encodeFunctionData, parseAbi } from "viem";
import { it } from "vitest";
import { startChainOfTest } from "../../test/chainWithGap.ts";
import { objectOf } from "../../test/jsonResponses.ts";
import { newMulticall } from "../../test/logEmitter.ts";

/** An index that is built beside the one that is read; `switchingIndexer.nightly.server.test.ts` has more. */

it("an index gets the coins that contracts sent beside one without them", {
  timeout: 180_000,
}, async (context) => {
  const { expect } = context;
  const test = await startChainOfTest(context);
  const { chain } = test;
  const receiver = `0x${"ab".repeat(20)}` as const;
  const call = { target: receiver, allowFailure: false, value: 5n, callData: "0x" } as const;
  const data = encodeFunctionData({
    abi: parseAbi([
      "struct Call { address target; bool allowFailure; uint256 value; bytes callData; }",
      "function aggregate3Value(Call[] calls) payable",
    ]),
    args: [[call]],
  });
  await chain.send(0, await newMulticall(chain), data, 5n);
  const untraced = await test.start({});
  await test.waitForHead(untraced);
  const traced = await test.start({ traces: true });
  await test.waitForSwitch(untraced, traced);
  await test.waitForHead(traced);
  const query = { address: receiver, chain: `0x${chain.chainId.toString(16)}` };
  expect(objectOf(await traced.run("getWalletInternalTransactions", query)).total).toBe(1);
  await test.expectSameAsAnew({ traces: true });
});
