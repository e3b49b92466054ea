import { RevertError, type Simulation, sendTransaction, simulate } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Button, Code, CopyButton, ErrorState, Field, Notice, useTranslation } from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useCallback, useContext, useState } from "react";
import type { Abi, AbiFunction } from "viem";
import type { Draft } from "../../money/abiDraft.ts";
import { amountProblem, parseAmount } from "../../money/amount.ts";
import type { AppChain } from "../../settings.ts";
import { AllowanceNotice } from "../../wallet/AllowanceNotice.tsx";
import { ConnectWalletButton } from "../../wallet/ConnectWallet.tsx";
import { NetworkBanner } from "../../wallet/NetworkBanner.tsx";
import { RevertDetails } from "../../wallet/RevertDetails.tsx";
import { TransactionStatus } from "../../wallet/TransactionStatus.tsx";
import { useTransactionLog } from "../../wallet/useLoggedTransactions.ts";
import { SimulationResult } from "../send/SimulationResult.tsx";
import { signatureOf } from "./abi.ts";
import { CalledToken } from "./CalledToken.ts";
import { decodeResult, emptyDrafts, encodeCall, initialDrafts, parseArguments } from "./callData.ts";
import { callSnippet } from "./callSnippet.ts";
import type { RpcRequest } from "./contractInfo.ts";
import { contractKey, storeCall } from "./contractStorage.ts";
import { DecodedList } from "./DecodedValue.tsx";
import { DraftField } from "./DraftField.tsx";
import { Events } from "./Events.tsx";

export interface CallProps {
  item: AbiFunction;
  abi: Abi;
  chain: AppChain;
  address: string;
  request: RpcRequest;
  onCalled: () => void;
}

/** A function with its form, simulation, result and events. */
export function Call({ item, abi, chain, address, request, onCalled }: CallProps) {
  const { t, language } = useTranslation();
  const search = useSearch({ from: "/contract" });
  const navigate = useNavigate({ from: "/contract" });
  const { account, chainId } = useMoralis();
  const token = useContext(CalledToken);
  const [drafts, setDrafts] = useState(() => initialDrafts(item, search.args, token));
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const resolved = useCallback(
    (name: string, to: string) => setNames((before) => new Map(before).set(name, to)),
    [],
  );
  const [value, setValue] = useState(search.value ?? "");
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const [busy, setBusy] = useState<"read" | "simulate" | "send">();
  const [error, setError] = useState<unknown>();
  const [result, setResult] = useState<readonly unknown[]>();
  const [simulation, setSimulation] = useState<Simulation>();
  // The arguments that the URL last had, and those that the form has written.
  const [urlArgs, setUrlArgs] = useState(search.args);
  const [writtenArgs, setWrittenArgs] = useState(search.args);
  // The URL changed to another call of the same function.
  if (search.args !== urlArgs) {
    setUrlArgs(search.args);
    if (search.args !== writtenArgs) {
      setWrittenArgs(search.args);
      setDrafts(initialDrafts(item, search.args, token));
      setValue(search.value ?? "");
      setResult(undefined);
      setSimulation(undefined);
    }
  }
  const transactionLog = useTransactionLog();
  const isRead = item.stateMutability === "view" || item.stateMutability === "pure";
  const isPayable = item.stateMutability === "payable";
  const { symbol, decimals } = chain.nativeCurrency;
  const parsedValue =
    isPayable && value.trim() !== "" ? parseAmount(value, decimals, language) : { value: 0n };
  const wei = "value" in parsedValue ? parsedValue.value : undefined;
  const parsedArgs = parseArguments(item, drafts, { locale: language, names });
  const data = "args" in parsedArgs ? encodeCall(item, parsedArgs.args) : undefined;
  const isOtherChain = !isRead && chainId !== null && chainId !== chain.hexId;

  function change(i: number, draft: Draft) {
    setDrafts(drafts.with(i, draft));
    setResult(undefined);
    setSimulation(undefined);
  }
  const args = drafts.length > 0 ? JSON.stringify(drafts) : undefined;
  const typed = isPayable && value.trim() !== "" ? value.trim() : undefined;
  /** Saves the form to the URL, to share it and to survive a reload. */
  function saveToUrl(tx: string | undefined) {
    setWrittenArgs(args);
    return navigate({
      search: (before) => ({ ...before, chain: chain.hexId, args, value: typed, tx }),
      replace: true,
      resetScroll: false,
    });
  }
  /** Saves the call to the recent ones. */
  async function saveCall() {
    storeCall(contractKey(chain.hexId, address), {
      fn: signatureOf(item),
      args: args ?? "[]",
      value: typed ?? "",
      at: Date.now(),
    });
    onCalled();
    await saveToUrl(undefined);
  }
  async function run(kind: "read" | "simulate" | "send") {
    setWasSubmitted(true);
    setError(undefined);
    if (!data || wei === undefined || (kind === "send" && isOtherChain)) return;
    setBusy(kind);
    try {
      await saveCall();
      const call = { to: address, data, value: wei };
      if (kind === "read") {
        const from = account ? { from: account } : {};
        const response = await request("eth_call", [{ ...from, to: address, data }, "latest"]);
        setResult(decodeResult(item, response));
      } else if (kind === "simulate") {
        setSimulation(await simulate(call, { abi }));
      } else {
        const { reference, hash } = await sendTransaction(call, {
          abi,
          chainId: chain.hexId,
          ...(account && { account }),
        });
        transactionLog.add({ ...reference, chainId: reference.chainId ?? chain.hexId }, item.name);
        await navigate({ search: (before) => ({ ...before, tx: hash }), replace: true, resetScroll: false });
      }
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(undefined);
    }
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    void run(isRead ? "read" : "simulate");
  }
  return (
    <div className="stack">
      <form
        className="card stack"
        onSubmit={submit}
        noValidate
        aria-label={item.name}
        onBlur={() => {
          const before = search.args ?? JSON.stringify(emptyDrafts(item, token));
          if ((args ?? "[]") !== before || typed !== search.value) void saveToUrl(search.tx);
        }}
      >
        <div>
          <h2>{item.name}</h2>
          <code className="small soft exact">{signatureOf(item)}</code>
        </div>
        {!isRead && account !== null && <NetworkBanner chain={chain} />}
        {item.inputs.map((input, i) => (
          <DraftField
            // biome-ignore lint/suspicious/noArrayIndexKey: input names are optional.
            key={i}
            parameter={input}
            draft={drafts[i] ?? ""}
            path={input.name || `input ${i}`}
            problem={wasSubmitted && "problem" in parsedArgs ? parsedArgs.problem : undefined}
            onChange={(draft) => change(i, draft)}
            onResolved={resolved}
          />
        ))}
        {isPayable && (
          <Field
            label={t("Value ({unit})", { unit: symbol })}
            value={value}
            onText={(text) => {
              setValue(text);
              setSimulation(undefined);
            }}
            inputMode="decimal"
            placeholder="0"
            problem={"reason" in parsedValue ? amountProblem(parsedValue, decimals, t) : undefined}
          />
        )}
        {error !== undefined && <CallError error={error} />}
        {!isRead && account === null ? (
          <Notice kind="info" title={t("Connect a wallet to write")} action={<ConnectWalletButton small />} />
        ) : isRead ? (
          <div className="row">
            <Button type="submit" variant="primary" busy={busy === "read"}>
              {t("Read")}
            </Button>
          </div>
        ) : (
          <div className="row">
            <Button type="submit" variant={simulation ? undefined : "primary"} busy={busy === "simulate"}>
              {t("Simulate")}
            </Button>
            <Button
              variant={simulation ? "primary" : undefined}
              busy={busy === "send"}
              disabled={!simulation || simulation.revert !== null || isOtherChain}
              onClick={() => void run("send")}
            >
              {busy === "send" ? t("Waiting for wallet") : t("Write")}
            </Button>
          </div>
        )}
        {!isRead && data && <AllowanceNotice data={data} decimals={token?.decimals} symbol={token?.symbol} />}
        {simulation && <SimulationResult simulation={simulation} chain={chain} token={token} />}
        {simulation?.gas != null && (
          <p className="small soft">{t("Estimated gas: {n, number}", { n: Number(simulation.gas) })}</p>
        )}
        <div role="status">
          {result && (
            <section aria-label={t("Result")} className="result">
              {result.length === 0 ? (
                <p className="soft">{t("No return value.")}</p>
              ) : (
                <DecodedList parameters={item.outputs} values={result} />
              )}
            </section>
          )}
        </div>
      </form>
      {search.tx && (
        <div className="card">
          <TransactionStatus
            hash={search.tx}
            chain={chain.hexId}
            onView={({ receipt }) => receipt && <Events abi={abi} receipt={receipt} />}
          />
        </div>
      )}
      {data && "args" in parsedArgs && (
        <details className="card folder">
          <summary>{t("Calldata and code")}</summary>
          <div className="stack">
            <Code text={data} label={t("Calldata")} wrap />
            <Code
              text={callSnippet("purse", { item, address, args: parsedArgs.args, value: wei ?? 0n })}
              label={t("Purse client")}
            />
            <Code
              text={callSnippet("viem", { item, address, args: parsedArgs.args, value: wei ?? 0n })}
              label={t("viem")}
            />
            <p className="row small soft">
              {t("Link to this call")}
              <CopyButton text={window.location.href} label={t("link to this call")} />
            </p>
          </div>
        </details>
      )}
    </div>
  );
}

function CallError({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const token = useContext(CalledToken);
  if (!(error instanceof RevertError)) return <ErrorState error={error} />;
  return (
    <Notice kind="danger" title={t("Call reverted")}>
      <RevertDetails revert={error} token={token} />
    </Notice>
  );
}
