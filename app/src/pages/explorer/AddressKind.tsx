import { Web3API } from "@purse/client";
import { Link } from "@tanstack/react-router";
import { Status } from "../../design/Status.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { looksLikeContract, useAnswer } from "./answers.ts";
import { useExplorer } from "./ExplorerContext.ts";
import { useNode } from "./node.ts";
import { useNodeAnswer } from "./useNodeAnswer.ts";

/** A contract or a wallet: by its code where a node is at hand, else by what it has done. */
export function Kind({ address }: { address: string }) {
  const { t } = useTexts();
  const { chain } = useExplorer();
  const node = useNode();
  const code = useNodeAnswer(node, ["code", address], (asked) =>
    asked.ask("eth_getCode", [address, "latest"]),
  );
  const asks = code === undefined || code.error !== null;
  const guess = useAnswer(looksLikeContract, { chain: chain.hexId, address }, asks);
  const bytes = typeof code?.data === "string" ? code.data : undefined;
  const isContract = bytes === undefined ? guess.data : bytes !== "0x" && !bytes.startsWith("0xef0100");
  if (bytes?.startsWith("0xef0100")) return <Status kind="info">{t("Wallet with delegated code")}</Status>;
  if (isContract === undefined) return null;
  if (isContract) {
    return (
      <span className="row tight-row">
        <Status kind="info">{t("Contract")}</Status>
        <TokenPages address={address} />
        <Link to="/contract" search={{ address, chain: chain.hexId }} className="button small">
          {t("Functions")}
        </Link>
      </span>
    );
  }
  return asks ? null : <Status kind="idle">{t("Wallet")}</Status>;
}

/** The ways to the pages of a token or a collection, where it is one. */
function TokenPages({ address }: { address: string }) {
  const { t } = useTexts();
  const { chain } = useExplorer();
  const collection = useAnswer(Web3API.token.getAllTokenIds, { chain: chain.hexId, address, limit: 1 });
  const tokens = useAnswer(Web3API.token.getTokenMetadata, { chain: chain.hexId, addresses: [address] });
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
