import type { BlockTransaction } from "@purse/client";
import { FailedRead, useTranslation } from "@purse/ui";
import { ArrowRight } from "lucide-react";
import { Amount, CoinAmount } from "./Amount.tsx";
import { useTokens } from "./dataQueries.ts";
import { AddressLink, NftLink, TokenLink } from "./EntityLinks.tsx";
import { type Flow, flowsOf, netChanges } from "./flows.ts";

/** Maximum number of transfers shown. */
const MAX_FLOWS = 100;

/** The transfers of a transaction and the net balance change of its sender. */
export function TokenFlows({ transaction }: { transaction: BlockTransaction }) {
  const { t } = useTranslation();
  const { from_address: from, to_address: to, receipt_contract_address: createdAddress, value } = transaction;
  const tokenFlows = flowsOf(transaction.logs);
  const coinFlows: Flow[] =
    BigInt(value) > 0n && transaction.receipt_status !== "0"
      ? [
          {
            key: "coin",
            token: undefined,
            from,
            to: to || createdAddress || "",
            amount: BigInt(value),
            tokenId: undefined,
          },
        ]
      : [];
  const flows = [...coinFlows, ...tokenFlows];
  const tokens = useTokens(tokenFlows.map(({ token = "" }) => token));
  if (tokenFlows.length === 0) return null;
  const netAmounts = [...netChanges(flows, from)];
  const renderAmount = ({ token, amount, tokenId }: Pick<Flow, "token" | "amount" | "tokenId">) => {
    if (token === undefined || token === "") return <CoinAmount wei={amount} />;
    const metadata = tokens.known.get(token);
    return (
      <>
        <Amount value={amount} decimals={tokenId === undefined ? tokens.decimalsOf(token) : 0} />{" "}
        <TokenLink address={token} token={metadata} />
        {tokenId !== undefined && <NftLink address={token} id={tokenId} />}
      </>
    );
  };
  return (
    <section className="card stack tight" aria-labelledby="flows">
      <h2 id="flows">{t("Token transfers")}</h2>
      <FailedRead query={tokens.query}>{t("Token amounts could not be loaded")}</FailedRead>
      <ol className="flows">
        {flows.slice(0, MAX_FLOWS).map((flow) => (
          <li key={flow.key}>
            <AddressLink address={flow.from} />
            <ArrowRight size={16} role="img" aria-label={t("to")} />
            <AddressLink address={flow.to} />
            <span className="row tight-row flow-what">{renderAmount(flow)}</span>
          </li>
        ))}
      </ol>
      {flows.length > MAX_FLOWS && (
        <p className="soft">{t("{n, number} more not shown", { n: flows.length - MAX_FLOWS })}</p>
      )}
      {netAmounts.length > 0 && (
        <p className="row tight-row small">
          <span className="soft">{t("Net balance change of sender:")}</span>
          {netAmounts.map(([token, amount]) => (
            <span key={token} className="chip">
              {renderAmount({ token, amount, tokenId: undefined })}
            </span>
          ))}
        </p>
      )}
    </section>
  );
}
