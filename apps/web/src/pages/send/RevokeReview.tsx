import { useMoralis } from "@purse/react";
import { Address, Detail, DetailList, EmptyState, useTranslation } from "@purse/ui";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { type AppChain, chainName } from "../../settings.ts";
import { useChecksum } from "../../wallet/useChecksum.ts";
import { ConfirmTransaction } from "./ConfirmTransaction.tsx";
import { parseRevocation, type Revocation, revokeCall } from "./revoke.ts";

export interface RevokeReviewProps {
  account: string;
  chain: AppChain;
  kind: Revocation["kind"];
}

/** Reviews the transaction that revokes an approval. */
export function RevokeReview({ account, chain, kind }: RevokeReviewProps) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const { asset, to } = useSearch({ from: "/send" });
  const navigate = useNavigate({ from: "/send" });
  const checksumOf = useChecksum();
  const revocation = parseRevocation(kind, asset, to);
  const metadata = useServerQuery({
    queryKey: revocation && ["token metadata", chain.hexId, revocation.token],
    queryFn: (options) =>
      Moralis.Web3API.token.getTokenMetadata(
        { chain: chain.hexId, addresses: [revocation?.token ?? ""] },
        options,
      ),
  });
  if (!revocation) {
    return (
      <EmptyState
        title={t("Incomplete transaction")}
        action={
          <Link to="/portfolio" search={{}} className="button">
            {t("Portfolio")}
          </Link>
        }
      />
    );
  }
  const [token] = metadata.data ?? [];
  const name = (kind === "erc20" ? token?.symbol : token?.name)?.slice(0, 24) || t("token");
  return (
    <section className="stack" aria-labelledby="review">
      <h2 id="review">{t("Review")}</h2>
      <DetailList className="review">
        <Detail label={t("Token")}>
          <bdi className="strong">{name}</bdi>
          <Address address={checksumOf(revocation.token)} />
          {revocation.tokenId !== null && <span className="exact number">#{revocation.tokenId}</span>}
        </Detail>
        <Detail label={t("Spender")}>
          <Address address={checksumOf(revocation.spender)} />
        </Detail>
        <Detail label={t("From")}>
          <Address address={checksumOf(account)} />
        </Detail>
        <Detail label={t("Network")}>{chainName(chain, t)}</Detail>
      </DetailList>
      <ConfirmTransaction
        account={account}
        chain={chain}
        callKey={`revoke/${kind}/${revocation.token}/${revocation.tokenId}/${revocation.spender}`}
        prepareCall={async () => revokeCall(revocation)}
        label={t("Revoke approval of {token}", { token: name })}
        action={t("Revoke")}
        onSent={(tx) => navigate({ search: { tx, chain: chain.hexId }, replace: true })}
        back={{ label: t("Cancel"), go: () => void navigate({ to: "/portfolio", search: {} }) }}
      />
    </section>
  );
}
