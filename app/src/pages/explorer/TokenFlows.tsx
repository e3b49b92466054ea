import type { BlockTransaction } from "@purse/client";
import { ArrowRight } from "lucide-react";
import { FailedRead } from "../../design/QueryState.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { useTokens } from "./answers.ts";
import { type Flow, flowsOf, netChanges } from "./flows.ts";
import { AddressLink, Amount, Coins, NftLink, TokenLink } from "./parts.tsx";

/** So many are shown at most. */
const SHOWN = 100;

/** What a transaction moved, coin, tokens and NFTs, and what its sender has more or less of after it. */
export function TokenFlows({ transaction }: { transaction: BlockTransaction }) {
  const { t, count } = useTexts();
  const { from_address: from, to_address: to, receipt_contract_address: made, value } = transaction;
  const moved = flowsOf(transaction.logs);
  const coin: Flow[] =
    BigInt(value) > 0n && transaction.receipt_status !== "0"
      ? [
          {
            key: "coin",
            token: undefined,
            from,
            to: to || made || "",
            amount: BigInt(value),
            tokenId: undefined,
          },
        ]
      : [];
  const flows = [...coin, ...moved];
  const tokens = useTokens(moved.map(({ token = "" }) => token));
  if (moved.length === 0) return null;
  const net = [...netChanges(flows, from)];
  const what = ({ token, amount, tokenId }: Pick<Flow, "token" | "amount" | "tokenId">) => {
    if (token === undefined || token === "") return <Coins wei={amount} />;
    const about = tokens.known.get(token);
    return (
      <>
        <Amount value={amount} decimals={tokenId === undefined ? tokens.decimalsOf(token) : 0} />{" "}
        <TokenLink address={token} token={about} />
        {tokenId !== undefined && <NftLink address={token} id={tokenId} />}
      </>
    );
  };
  return (
    <section className="card stack tight" aria-labelledby="flows">
      <h2 id="flows">{t("What moved")}</h2>
      <FailedRead query={tokens.query}>{t("Token amounts could not be read")}</FailedRead>
      <ol className="flows">
        {flows.slice(0, SHOWN).map((flow) => (
          <li key={flow.key}>
            <AddressLink address={flow.from} />
            <ArrowRight size={16} role="img" aria-label={t("to")} />
            <AddressLink address={flow.to} />
            <span className="row tight-row flow-what">{what(flow)}</span>
          </li>
        ))}
      </ol>
      {flows.length > SHOWN && (
        <p className="soft">
          {count(flows.length - SHOWN, "{n} more is not shown.", "{n} more are not shown.")}
        </p>
      )}
      {net.length > 0 && (
        <p className="row tight-row small">
          <span className="soft">{t("The sender, all in all:")}</span>
          {net.map(([token, amount]) => (
            <span key={token} className="chip">
              {what({ token, amount, tokenId: undefined })}
            </span>
          ))}
        </p>
      )}
    </section>
  );
}
