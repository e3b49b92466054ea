import { Moralis } from "@purse/client";
import { act, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { ACCOUNT, installEthereum, renderReady, setUpTestServer } from "../test/testRendering.tsx";
import {
  type CallError,
  useApiContract,
  useMoralis,
  useMoralisCloudFunction,
  useMoralisSolanaApi,
  useMoralisSolanaCall,
  useMoralisWeb3Api,
  useMoralisWeb3ApiCall,
  useWeb3Contract,
  useWeb3ExecuteFunction,
  useWeb3Transfer,
} from "./index.ts";

const test = setUpTestServer();
const callsOf = (name: string) => test.server.calls.filter((call) => call.endsWith(`/${name}`)).length;

describe("useMoralisCloudFunction()", () => {
  it("calls the function on mount, and again when the content of its parameters changes", async () => {
    test.server.on("POST functions/sum", ({ a, b }) => ({ body: { result: [a, b] } }));
    let params: object = { a: 1, b: { c: 1 } };
    const view = await renderReady(test.server, () =>
      useMoralisCloudFunction<unknown[]>("sum", { ...params }),
    );
    await waitFor(() => expect(view.current.data).toEqual([1, { c: 1 }]));
    const before = callsOf("sum");
    params = { b: { c: 1 }, a: 1 };
    view.rerender();
    await act(async () => {});
    expect(callsOf("sum")).toBe(before);
    params = { a: 1, b: { c: 2 } };
    view.rerender();
    await waitFor(() => expect(view.current.data).toEqual([1, { c: 2 }]));
    expect(view.current).toMatchObject({ isLoading: false, isFetching: false, error: null });
  });

  it("returns frozen data", async () => {
    test.server.on("POST functions/list", { body: { result: { rows: [{ a: 1 }] } } });
    const view = await renderReady(test.server, () => useMoralisCloudFunction<{ rows: object[] }>("list"));
    await waitFor(() => expect(view.current.data).not.toBeNull());
    expect(Object.isFrozen(view.current.data)).toBe(true);
    expect(Object.isFrozen(view.current.data?.rows[0])).toBe(true);
  });

  it.each([{ autoFetch: false }, { autoFetch: undefined }])(
    "does not call the function before fetch() with %o",
    async (options) => {
      test.server.on("POST functions/hello", ({ name }) => ({ body: { result: `hello ${name}` } }));
      const view = await renderReady(test.server, () =>
        useMoralisCloudFunction("hello", { name: "ada", polite: true }, options),
      );
      expect(view.current).toMatchObject({ data: null, isLoading: false });
      expect(callsOf("hello")).toBe(0);
      const onSuccess = vi.fn();
      await act(async () => {
        expect(await view.current.fetch({ params: { name: "grace" }, onSuccess })).toBe("hello grace");
      });
      expect(onSuccess).toHaveBeenCalledWith("hello grace");
      expect(test.server.bodies.at(-1)).toMatchObject({ name: "grace", polite: true });
      expect(view.current.data).toBe("hello grace");
    },
  );

  it("resets data to null after an error, which it reports or throws as requested", async () => {
    test.server.on("POST functions/hello", { body: { result: "hello" } });
    const view = await renderReady(test.server, () => useMoralisCloudFunction("hello"));
    await waitFor(() => expect(view.current.data).toBe("hello"));
    test.server.on("POST functions/hello", { status: 400, body: { code: 141, error: "broken" } });
    const onError = vi.fn();
    const onComplete = vi.fn();
    await act(async () => {
      expect(await view.current.fetch({ onError, onComplete })).toBeUndefined();
      await expect(view.current.fetch({ onError, throwOnError: true })).rejects.toMatchObject({ code: 141 });
    });
    expect(view.current).toMatchObject({ data: null, error: { code: 141, message: "broken" } });
    expect(onError).toHaveBeenCalledTimes(2);
    expect(onComplete).toHaveBeenCalledOnce();
  });

  it("returns the result of the latest call, regardless of the order of responses", async () => {
    const slow = Promise.withResolvers<void>();
    test.server.on("POST functions/echo", ({ n }) => ({
      body: { result: n },
      ...(n === 1 && { waitFor: slow.promise }),
    }));
    const view = await renderReady(test.server, () =>
      useMoralisCloudFunction("echo", {}, { autoFetch: false }),
    );
    await act(async () => {
      const first = view.current.fetch({ params: { n: 1 } });
      await view.current.fetch({ params: { n: 2 } });
      slow.resolve();
      expect(await first).toBe(1);
    });
    expect(view.current.data).toBe(2);
  });

  it("aborts the call when the parameters change", async () => {
    const blocked = Promise.withResolvers<void>();
    test.server.on("POST functions/of", ({ n }) => ({
      body: { result: n },
      ...(n === 1 && { waitFor: blocked.promise }),
    }));
    let n = 1;
    const view = await renderReady(test.server, () => useMoralisCloudFunction("of", { n }));
    await waitFor(() => expect(callsOf("of")).toBe(1));
    n = 2;
    view.rerender();
    await waitFor(() => expect(view.current.data).toBe(2));
    expect(test.server.abortedCalls).toEqual(["POST functions/of"]);
    blocked.resolve();
  });

  it("aborts the automatic call on unmount, but not explicit ones", async () => {
    const blocked = Promise.withResolvers<void>();
    test.server.on("POST functions/slow", { body: { result: 1 }, waitFor: blocked.promise });
    const view = await renderReady(test.server, () => useMoralisCloudFunction("slow"));
    await waitFor(() => expect(view.current.isFetching).toBe(true));
    const pendingCall = view.current.fetch();
    await waitFor(() => expect(callsOf("slow")).toBe(2));
    view.unmount();
    await waitFor(() => expect(test.server.abortedCalls).toEqual(["POST functions/slow"]));
    blocked.resolve();
    expect(await pendingCall).toBe(1);
  });
});

describe("the Web3API hooks", () => {
  it("return the whole API, and call any of its functions", {
    tags: ["1.capability.query-data-service"],
  }, async () => {
    test.server.on("POST functions/getBlock", ({ block_number_or_hash: of }) => ({
      body: { result: { number: of } },
    }));
    const view = await renderReady(test.server, () => {
      const { native, Web3API } = useMoralisWeb3Api();
      expect(Web3API.native).toBe(native);
      return useMoralisWeb3ApiCall(native.getBlock, { block_number_or_hash: "7" }, { autoFetch: true });
    });
    await waitFor(() => expect(view.current.data).toMatchObject({ number: "7" }));
    expect(test.server.bodies.at(-1)).toMatchObject({ chain: "eth" });
  });

  it("return the error of a missing parameter", async () => {
    test.server.on("POST functions/getBlock", {
      status: 400,
      body: { code: 141, error: "block is required" },
    });
    const view = await renderReady(test.server, () =>
      useMoralisWeb3ApiCall(useMoralisWeb3Api().native.getBlock),
    );
    expect(view.current).toMatchObject({ data: null, isFetching: false });
    await act(async () => void (await view.current.fetch()));
    expect(view.current.error).toMatchObject({ message: "block is required" });
  });

  it("call the server's functions for Solana", async () => {
    test.server.on("POST functions/sol-balance", { body: { result: { solana: "1" } } });
    const view = await renderReady(test.server, () =>
      useMoralisSolanaCall(useMoralisSolanaApi().account.balance, { address: "x" }),
    );
    await act(async () => void (await view.current.fetch()));
    expect(view.current.data).toEqual({ solana: "1" });
    expect(test.server.bodies.at(-1)).toMatchObject({
      network: "mainnet",
      responseType: "native",
      address: "x",
    });
  });

  it("call contracts", async () => {
    test.server.on("POST functions/runContractFunction", { body: { result: "12" } });
    const abi = [{ name: "decimals" }];
    const view = await renderReady(test.server, () =>
      useApiContract({ address: "0x1", abi, functionName: "decimals", chain: "0x539", params: {} }),
    );
    await act(async () => void (await view.current.runContractFunction()));
    expect(view.current.data).toBe("12");
    expect(test.server.bodies.at(-1)).toMatchObject({
      address: "0x1",
      abi,
      function_name: "decimals",
      chain: "0x539",
    });
    expect(test.server.bodies.at(-1)).not.toHaveProperty("functionName");
  });
});

describe("the wallet hooks", () => {
  it("send a transfer", async () => {
    const sent: unknown[] = [];
    installEthereum({
      eth_sendTransaction: ([transaction]) => {
        sent.push(transaction);
        return "0xhash";
      },
    });
    const view = await renderReady(test.server, () => ({
      moralis: useMoralis(),
      transfer: useWeb3Transfer({ type: "native", amount: "5", receiver: ACCOUNT }),
    }));
    await act(async () => void (await view.current.moralis.enableWeb3()));
    await act(async () => void (await view.current.transfer.fetch({ throwOnError: true })));
    expect(view.current.transfer.data).toMatchObject({ hash: "0xhash" });
    expect(sent).toMatchObject([{ from: ACCOUNT, value: "0x5" }]);
  });

  it("return an error with the missing parameters", async () => {
    const view = await renderReady(test.server, () => useWeb3Transfer());
    await act(async () => void (await view.current.fetch({ params: { type: "native" } })));
    const missing = ["receiver is required", "amount is required"];
    // The type has a message, as in react-moralis, where the value was the list itself.
    expect(view.current.error?.message).toBe(missing.join(", "));
    expect(view.current.error?.cause).toEqual(missing);
  });

  it("convert rejections of wallets to errors with message and code, the same for all callers", async () => {
    installEthereum({ eth_sendTransaction: () => Promise.reject({ code: 4001, message: "User rejected" }) });
    const view = await renderReady(test.server, () => ({
      moralis: useMoralis(),
      transfer: useWeb3Transfer({ type: "native", amount: "5", receiver: ACCOUNT }),
    }));
    await act(async () => void (await view.current.moralis.enableWeb3()));
    const onError = vi.fn<(error: CallError) => void>();
    const thrown = await act(() =>
      view.current.transfer.fetch({ onError, throwOnError: true }).catch((error: unknown) => error),
    );
    expect(view.current.transfer.error).toMatchObject({ message: "User rejected", code: 4001 });
    expect(view.current.transfer.error).toBe(thrown);
    expect(onError).toHaveBeenCalledExactlyOnceWith(thrown);
  });

  it("stop waiting when the call is aborted", async () => {
    const wallet = installEthereum({ eth_sendTransaction: () => new Promise(() => {}) });
    const view = await renderReady(test.server, () => ({
      moralis: useMoralis(),
      transfer: useWeb3Transfer({ type: "native", amount: "5", receiver: ACCOUNT }),
    }));
    await act(async () => void (await view.current.moralis.enableWeb3()));
    const cancelled = new AbortController();
    let sending: Promise<unknown> | undefined;
    act(() => {
      sending = view.current.transfer.fetch({ signal: cancelled.signal });
    });
    await waitFor(() => expect(wallet.requestedMethods).toContain("eth_sendTransaction"));
    cancelled.abort(new Error("enough"));
    expect(await act(async () => sending)).toBeUndefined();
    expect(view.current.transfer).toMatchObject({ isFetching: false });
  });

  it("call contracts by useWeb3ExecuteFunction() and useWeb3Contract() alike", async () => {
    const executeFunction = vi.fn(async (_call: object) => 7n);
    const core: typeof Moralis = Object.create(Moralis, { executeFunction: { value: executeFunction } });
    const call = { contractAddress: "0x1", abi: [], functionName: "f", params: { a: 1 } };
    const view = await renderReady(
      test.server,
      () => ({ execute: useWeb3ExecuteFunction(call), contract: useWeb3Contract(call) }),
      { getMoralis: () => core },
    );
    await act(
      async () => void (await view.current.execute.fetch({ params: { ...call, functionName: "g" } })),
    );
    await act(async () => void (await view.current.contract.runContractFunction()));
    expect(view.current.execute.data).toBe(7n);
    expect(view.current.contract.data).toBe(7n);
    expect(executeFunction.mock.calls.map(([given]) => given)).toEqual([
      { ...call, functionName: "g" },
      call,
    ]);
  });
});
