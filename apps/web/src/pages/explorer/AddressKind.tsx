import { Web3API } from "@purse/client";
import { Status, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { getLogsByAddress } from "./dataApi.ts";
import { useDataQuery } from "./dataQueries.ts";
import { useExplorer } from "./ExplorerContext.ts";
import { useRpcClient } from "./rpcClient.ts";
import { useNodeQuery } from "./useNodeQuery.ts";

/** Shows whether an address is a contract or a wallet: by its code if a node is available, otherwise by its activity. */
export function AddressKind({ address }: { address: string }) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const node = useRpcClient();
  const code = useNodeQuery(node, ["code", address], (client) =>
    client.request("eth_getCode", [address, "latest"]),
  );
  const needsGuess = code === undefined || code.error !== null;
  const guess = useDataQuery(looksLikeContract, { chain: chain.hexId, address }, needsGuess);
  const bytes = typeof code?.data === "string" ? code.data : undefined;
  const isContract = bytes === undefined ? guess.data : bytes !== "0x" && !bytes.startsWith("0xef0100");
  if (bytes?.startsWith("0xef0100")) return <Status kind="info">{t("Smart account (EIP-7702)")}</Status>;
  if (isContract === undefined) return null;
  if (isContract) {
    return (
      <span className="row tight-row">
        <Status kind="info">{t("Contract")}</Status>
        <TokenLinks address={address} />
        <Link to="/contract" search={{ address, chain: chain.hexId }} className="button small">
          {t("Functions")}
        </Link>
      </span>
    );
  }
  return needsGuess ? null : <Status kind="idle">{t("Wallet")}</Status>;
}

/** Links to the token or collection page of a contract. */
function TokenLinks({ address }: { address: string }) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const collection = useDataQuery(Web3API.token.getAllTokenIds, { chain: chain.hexId, address, limit: 1 });
  const tokens = useDataQuery(Web3API.token.getTokenMetadata, { chain: chain.hexId, addresses: [address] });
  const [token] = tokens.data ?? [];
  if (collection.data?.total) {
    return (
      <Link to="/explorer/nft/$address" params={{ address }} className="button small">
        {t("Collection")}
      </Link>
    );
  }
  if (!token || (token.symbol === "" && token.name === "")) return null;
  return (
    <Link to="/explorer/token/$address" params={{ address }} className="button small">
      {t("Token")}
    </Link>
  );
}

/** Whether an address looks like a contract: it has logs or token metadata. */
async function looksLikeContract(
  { chain, address }: { chain: string; address: string },
  options?: { signal?: AbortSignal },
): Promise<boolean> {
  const [logs, [token]] = await Promise.all([
    getLogsByAddress({ chain, address, limit: 1 }, options).catch(() => undefined),
    Web3API.token.getTokenMetadata({ chain, addresses: [address] }, options),
  ]);
  return (logs?.total ?? 0) > 0 || Boolean(token && (token.symbol !== "" || token.name !== ""));
}
