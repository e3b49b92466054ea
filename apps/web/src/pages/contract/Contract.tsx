import { Web3API } from "@purse/client";
import { useMoralis } from "@purse/react";
import {
  Address,
  Button,
  EmptyState,
  Field,
  Notice,
  QueryState,
  Select,
  SkeletonList,
  Status,
  useTranslation,
} from "@purse/ui";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Abi } from "viem";
import { recipientProblem } from "../../money/recipient.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { useSettings } from "../../SettingsContext.tsx";
import { type AppChain, chainByHexId, chainName } from "../../settings.ts";
import { usePageTitle } from "../../usePageTitle.ts";
import { ConnectWalletButton } from "../../wallet/ConnectWallet.tsx";
import { checksumOf } from "../../wallet/checksum.ts";
import { ExplorerLink } from "../../wallet/ExplorerLink.tsx";
import { useAddress } from "../../wallet/useAddress.ts";
import { AbiSource } from "./AbiSource.tsx";
import { functionsOf, readPastedAbi, STANDARDS, type Standard } from "./abi.ts";
import { CalledChain } from "./CalledChain.ts";
import { CalledToken } from "./CalledToken.ts";
import { ContractValues } from "./ContractValues.tsx";
import { type RpcRequest, readContractInfo, rpcRequestFor } from "./contractInfo.ts";
import { contractKey, storedAbi } from "./contractStorage.ts";
import { mergeAbis } from "./detectAbi.ts";
import { Functions } from "./Functions.tsx";
import { RecentCalls } from "./RecentCalls.tsx";
import { WriteHistory } from "./WriteHistory.tsx";
import "./Contract.css";

/** Reads from and writes to a contract by its ABI. */
export function Contract() {
  const { t } = useTranslation();
  usePageTitle(t("Contract"));
  const search = useSearch({ from: "/contract" });
  const { chains } = useSettings();
  const { chain: walletChain } = useAddress();
  const settings = useSettings();
  const chain = search.chain ? chainByHexId(settings, search.chain) : walletChain;
  const isAddress = search.address !== undefined && !recipientProblem(search.address, checksumOf);
  return (
    <>
      <div className="page-head">
        <h1>{t("Contract")}</h1>
      </div>
      <div className="stack" style={{ gap: "1.5rem" }}>
        <ContractForm
          key={`${search.address}/${chain?.hexId}`}
          address={search.address ?? ""}
          chain={chain}
          chains={chains}
        />
        {!chain ? (
          <div className="card">
            <EmptyState title={t("Chain not supported")}>
              {t("This server does not index this chain.")}
            </EmptyState>
          </div>
        ) : (
          isAddress &&
          search.address && (
            <ContractLoader
              key={contractKey(chain.hexId, search.address)}
              chain={chain}
              address={search.address.toLowerCase()}
            />
          )
        )}
      </div>
    </>
  );
}

const PROBLEMS = {
  empty: "Enter a contract address.",
  shape: "Invalid address: expected 0x followed by 40 hex characters.",
  checksum: "Invalid checksum: check the address for typos.",
  zero: "The zero address is not a contract.",
} as const;

interface ContractFormProps {
  address: string;
  chain: AppChain | undefined;
  chains: readonly AppChain[];
}

function ContractForm({ address, chain, chains }: ContractFormProps) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/contract" });
  const [typed, setTyped] = useState(address);
  const [wasSubmitted, setWasSubmitted] = useState(address !== "");
  const problem = recipientProblem(typed, checksumOf);
  return (
    <form
      className="card stack"
      noValidate
      aria-label={t("Contract")}
      onSubmit={(event) => {
        event.preventDefault();
        setWasSubmitted(true);
        if (!problem) void navigate({ search: { address: typed.trim(), chain: chain?.hexId } });
      }}
    >
      {chains.length > 1 && (
        <Select
          label={t("Network")}
          options={chains.map((each) => ({ key: each.hexId, label: chainName(each, t) }))}
          value={chain?.hexId ?? ""}
          onChange={(hexId) =>
            void navigate({ search: { address: typed.trim() || undefined, chain: hexId } })
          }
        />
      )}
      <Field
        label={t("Contract address")}
        value={typed}
        onText={setTyped}
        placeholder="0x…"
        isCode
        problem={wasSubmitted && problem ? t(PROBLEMS[problem]) : undefined}
        hint={address === "" ? t("Call any contract: each function becomes a form.") : undefined}
        after={
          <Button type="submit" variant={address === "" ? "primary" : undefined}>
            {t("Open")}
          </Button>
        }
      />
      {address === "" && chain?.wrappedNative && (
        <p className="small">
          {t("Example:")}{" "}
          <Link to="/contract" search={{ address: chain.wrappedNative, chain: chain.hexId }}>
            {`W${chain.nativeCurrency.symbol}`}
          </Link>
        </p>
      )}
    </form>
  );
}

function ContractLoader({ chain, address }: { chain: AppChain; address: string }) {
  const { t } = useTranslation();
  const { account, provider, chainId } = useMoralis();
  const request = useMemo(() => rpcRequestFor(chain, provider, chainId), [chain, provider, chainId]);
  const info = useServerQuery({
    queryKey: request && ["contract", chain.hexId, address],
    queryFn: () =>
      request ? readContractInfo(request, address) : Promise.reject(new Error("No node available")),
  });
  if (!request) {
    return (
      <Notice
        kind="info"
        title={t("Connect a wallet on this network")}
        action={account === null && <ConnectWalletButton small />}
      >
        {t("Contracts are read through your wallet's node. Connect a wallet and switch it to {chain}.", {
          chain: chainName(chain, t),
        })}
      </Notice>
    );
  }
  return (
    <QueryState
      query={info}
      label={t("Loading contract")}
      skeleton={<SkeletonList rows={4} label={t("Loading contract")} />}
    >
      {(details) =>
        details.isContract ? (
          <ContractDetails chain={chain} address={address} request={request} {...details} />
        ) : (
          <div className="card">
            <EmptyState title={t("No contract found")}>
              {t("There is no contract at this address on {chain}. It may be a wallet.", {
                chain: chainName(chain, t),
              })}
            </EmptyState>
          </div>
        )
      }
    </QueryState>
  );
}

function ContractDetails({
  chain,
  address,
  request,
  implementation,
  detectedAbi,
  standard,
  decimals,
}: {
  chain: AppChain;
  address: string;
  request: RpcRequest;
  implementation: string | undefined;
  detectedAbi: Abi | undefined;
  standard: Standard | undefined;
  decimals: number | undefined;
}) {
  const { t } = useTranslation();
  const key = contractKey(chain.hexId, address);
  const metadata = useServerQuery({
    queryKey: decimals === undefined ? undefined : ["token metadata", chain.hexId, address],
    queryFn: (options) =>
      Web3API.token.getTokenMetadata({ chain: chain.hexId, addresses: [address] }, options),
  });
  const symbol = metadata.data?.[0]?.symbol ?? "";
  const token = useMemo(
    () => (decimals === undefined ? undefined : { decimals, symbol }),
    [decimals, symbol],
  );
  const [pastedAbi, setPastedAbi] = useState(
    () => storedAbi(key) ?? (implementation && storedAbi(contractKey(chain.hexId, implementation))),
  );
  const [recentAt, setRecentAt] = useState(0);
  const abi = useMemo((): Abi | undefined => {
    try {
      if (pastedAbi) return readPastedAbi(pastedAbi);
    } catch {
      // Ignores stored ABIs that this version cannot read.
    }
    const details = standard && STANDARDS[standard].abi;
    return details && detectedAbi ? mergeAbis(details, detectedAbi) : (details ?? detectedAbi);
  }, [pastedAbi, standard, detectedAbi]);
  const { reads, writes } = useMemo(() => functionsOf(abi ?? []), [abi]);
  return (
    <CalledChain value={chain.hexId}>
      <CalledToken value={token}>
        <section className="card stack" aria-label={t("Contract details")}>
          <Address address={checksumOf(address)} copy />
          <div className="row">
            {standard && <Status kind="info">{t(STANDARDS[standard].label)}</Status>}
            <ExplorerLink kind="address" id={address} chain={chain.hexId}>
              {t("View in explorer")}
            </ExplorerLink>
          </div>
          {implementation && (
            <Notice kind="info" title={t("This is a proxy")}>
              <p>{t("It delegates to the contract below. Paste the ABI of that contract.")}</p>
              <Address address={checksumOf(implementation)} copy />
            </Notice>
          )}
          <AbiSource
            contract={key}
            isPasted={pastedAbi !== undefined && pastedAbi !== ""}
            hasAbi={abi !== undefined}
            isStandard={standard !== undefined}
            onChange={setPastedAbi}
          />
        </section>
        {reads.length > 0 && (
          <ContractValues contract={key} address={address} reads={reads} request={request} />
        )}
        {abi && (
          <Functions
            abi={abi}
            chain={chain}
            address={address}
            request={request}
            onCalled={() => setRecentAt((before) => before + 1)}
          />
        )}
        <RecentCalls key={recentAt} contract={key} />
        <WriteHistory chain={chain} address={address} writes={writes} />
      </CalledToken>
    </CalledChain>
  );
}
