import { Address, Button, Notice, useTranslation } from "@purse/ui";
import type { Sendable } from "./sendable.ts";
import type { Recipient } from "./useRecipient.ts";

const UNCHECKED_TITLES = {
  past: "Could not compare this address with your past recipients",
  book: "Could not compare this address with your address book",
  code: "Could not check whether this address is a contract",
} as const;

export interface RecipientNotesProps {
  recipient: Recipient;
  account: string;
  item: Sendable;
}

/** Warnings about a recipient. */
export function RecipientNotes({ recipient, account, item }: RecipientNotesProps) {
  const { t } = useTranslation();
  const { address, name, lookalike, unchecked } = recipient;
  if (!address) return <div className="recipient-notes" role="status" />;
  const lower = address.toLowerCase();
  const isToken = lower === item.contract?.toLowerCase();
  return (
    <div className="recipient-notes stack tight" role="status">
      {name && (
        <div className="small">
          <bdi className="strong">{name.slice(0, 80)}</bdi>
          <Address address={address} />
        </div>
      )}
      {lookalike && (
        <Notice kind="danger" title={t("Looks similar to a known address, but is different")}>
          {lookalike.name && <bdi className="strong">{lookalike.name.slice(0, 80)}</bdi>}
          <Address address={lookalike.address} />
          {t("Possible address poisoning. Compare every character.")}
        </Notice>
      )}
      {unchecked && !lookalike && (
        <Notice
          kind="warning"
          title={t(UNCHECKED_TITLES[unchecked.what])}
          action={
            <Button small busy={unchecked.isFetching} onClick={unchecked.retry}>
              {t("Try again")}
            </Button>
          }
        >
          {t("Compare the full address with its source.")}
        </Notice>
      )}
      {isToken ? (
        <Notice kind="danger" title={t("This is the token's own contract")}>
          {t("Assets sent here are lost.")}
        </Notice>
      ) : recipient.isContract ? (
        <Notice kind="warning" title={t("This is a contract, not a wallet")}>
          {t("Only send assets this contract can receive.")}
        </Notice>
      ) : null}
      {recipient.isFirstTime && !lookalike && lower !== account.toLowerCase() && (
        <p className="small soft">{t("First time: this wallet has not sent to this address before.")}</p>
      )}
      {lower === account.toLowerCase() && (
        <Notice kind="info" title={t("This is your own address")}>
          {t("You would only pay the network fee.")}
        </Notice>
      )}
    </div>
  );
}
